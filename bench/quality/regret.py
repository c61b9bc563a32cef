"""Regret: what a method loses against the best candidate of the same case, in points of accuracy on clean rows.

A measurement is {"set", "noise", "seed", "accuracy": {method: share of clean test rows that are right}}. A case is a
set with a kind of noise. Accuracies of a case are averaged over the seeds before the best candidate is taken: the best
of a single seed would be so by chance, too. Means are over the sets of each kind of noise, then over the kinds, so that
each kind counts the same."""
import statistics


def group(measurements, key):
    groups = {}
    for one in measurements:
        groups.setdefault(key(one), []).append(one)
    return groups


def case_of(one):
    return one["set"], one["noise"]


def kinds_of(measurements):
    """In the order of their names, clean labels first."""
    return sorted({one["noise"] for one in measurements}, key=lambda kind: (kind != "clean", kind))


def mean_accuracy(measurements, method):
    return statistics.fmean(one["accuracy"][method] for one in measurements)


def best_candidates(measurements, candidates):
    """{case: the candidate with the highest mean accuracy over the seeds}; of equals the first."""
    return {case: max(candidates, key=lambda name: mean_accuracy(found, name))
            for case, found in group(measurements, case_of).items()}


def regrets(measurements, method, best):
    """{case: points}"""
    return {case: 100 * (mean_accuracy(found, best[case]) - mean_accuracy(found, method))
            for case, found in group(measurements, case_of).items()}


def mean_by_kind(points):
    """{kind of noise: mean over the sets} of {case: points}"""
    kinds = {}
    for (_, kind), value in points.items():
        kinds.setdefault(kind, []).append(value)
    return {kind: statistics.fmean(values) for kind, values in kinds.items()}


def mean_of_kinds(points):
    return statistics.fmean(mean_by_kind(points).values())


def spread_over_seeds(measurements, method, best):
    """The standard deviation, over the seeds, of the mean regret of one seed."""
    means = [mean_of_kinds(regrets(found, method, best))
             for found in group(measurements, lambda one: one["seed"]).values()]
    return statistics.stdev(means) if len(means) > 1 else float("nan")


def difference(measurements, method, other):
    """(points by which method is better than other, standard error). The error is over the sets, as cases of one set
    are not independent: the deviation of each set's mean difference."""
    gains = regrets(measurements, other, {case: method for case in group(measurements, case_of)})
    sets = [statistics.fmean(value for (name, _), value in gains.items() if name == one)
            for one in dict.fromkeys(name for name, _ in gains)]
    error = statistics.stdev(sets) / len(sets) ** 0.5 if len(sets) > 1 else float("nan")
    return mean_of_kinds(gains), error


# ---- Tables (Markdown) ------------------------------------------------------------------------------------------


def row(cells):
    return "| " + " | ".join(cells) + " |"


def regret_table(measurements, methods, candidates):
    """A line for each method: mean regret of each kind of noise, of all, its spread over the seeds, the worst case."""
    best, kinds = best_candidates(measurements, candidates), kinds_of(measurements)
    lines = [row(["regret, points", *kinds, "mean", "± seeds", "worst", "worst case"]),
             row(["---"] * (len(kinds) + 5))]
    for method in methods:
        points = regrets(measurements, method, best)
        means, worst = mean_by_kind(points), max(points, key=points.get)
        lines.append(row([method, *(f"{means[kind]:.2f}" for kind in kinds), f"{statistics.fmean(means.values()):.2f}",
                          f"{spread_over_seeds(measurements, method, best):.2f}", f"{points[worst]:.1f}",
                          ", ".join(worst)]))
    return lines


def losses_table(measurements, method, other, count):
    """The cases in which method loses most against other."""
    points = regrets(measurements, method, {case: other for case in group(measurements, case_of)})
    lines = [row(["set", "noise", f"{other} is better by, points"]), row(["---"] * 3)]
    for case in sorted(points, key=points.get, reverse=True)[:count]:
        lines.append(row([*case, f"{points[case]:.1f}"]))
    return lines
