"""Text with labels that are words, in a Pipeline.

The vectoriser makes sparse rows of float32, which are trained on as they are; labels stay strings
from fit to predict; GridSearchCV sees nothing unusual.

It prints::

    classes: complaint, order, praise
    best t1: 0.5, accuracy in cross-validation 0.84
    'where is my parcel it never came' is a complaint
"""
import random
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import temperlr

warnings.simplefilter("ignore", ConvergenceWarning)
PHRASES = {
    "complaint": "it never came, broken on arrival, where is my parcel, I want my money back, "
                 "nobody answers, this is the third time, it does not work",
    "order": "please send two of these, I would like to order, can you ship to Norway, "
             "how much is the blue one, is it in stock, I need it by friday, one more box",
    "praise": "thank you so much, it works perfectly, great service, I love it, came quickly, "
              "will buy again, my daughter is happy",
}
draw = random.Random(0)
labels = [draw.choice(sorted(PHRASES)) for _ in range(600)]
texts = [" ".join(draw.sample(PHRASES[label].split(", "), 2)) + " "
         + draw.choice(PHRASES[draw.choice(sorted(PHRASES))].split(", ")) for label in labels]
_, noisy, _ = temperlr.add_noise(np.zeros((600, 1)), labels, rate=0.15)

model = GridSearchCV(
    make_pipeline(TfidfVectorizer(dtype=np.float32), temperlr.TemperedLogisticRegression()),
    {"temperedlogisticregression__t1": [0.3, 0.5, 1.0]}, cv=3).fit(texts, noisy)
print("classes:", ", ".join(model.classes_))
print(f"best t1: {model.best_params_['temperedlogisticregression__t1']}, "
      f"accuracy in cross-validation {model.best_score_:.2f}")
question = "where is my parcel it never came"
print(f"{question!r} is a {model.predict([question])[0]}")
