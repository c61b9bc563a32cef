"""Finds what can be changed in a C source: each mutation is one small fault in an expression or a statement.

tree-sitter parses the text as it is written, before the preprocessor, so that the place of a mutation is a place in
the file. What it cannot parse (a table of macros) is left alone. Mutations that do not compile are found by the compiler.
"""
import dataclasses
import hashlib

import tree_sitter
import tree_sitter_c

COMPARISONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "&"}
ASSIGNMENTS = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "%=": "*=", "<<=": ">>=", ">>=": "<<=", "&=": "|=",
               "|=": "&=", "^=": "&="}
LOGICAL = {"&&": "||", "||": "&&"}
# Kinds of mutations; all that the results and equivalent.tsv name.
KINDS = ("comparison", "arithmetic", "logic", "condition", "constant", "deletion", "status")
FAILING = "temper_status"  # the type of what can fail
SUCCESS = "TEMPER_OK"
# Not the code of a function: lengths of arrays are of no consequence if they grow, and labels of cases must differ.
SKIPPED = ("array_declarator", "abstract_array_declarator", "enumerator_list", "preproc_def", "preproc_function_def", "preproc_if", "ERROR",
           "attribute_specifier", "bitfield_clause", "field_declaration_list", "static_assert_declaration")

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_c.language()))


@dataclasses.dataclass(frozen=True)
class Mutation:
    """One change of one file. The line is stored as text, so that a mutation is the same one after lines were added."""
    path: str
    line: int  # from 1, in the file as it is
    text: str  # the line, without the blanks around it
    nth: int  # of the lines with this text in this file, from 0
    kind: str
    change: str  # "column in the text: before -> after"
    start: int
    end: int
    after: str

    @property
    def key(self):
        return (self.path, self.text, str(self.nth), self.kind, self.change)

    def apply(self, source):
        return source[:self.start] + self.after.encode() + source[self.end:]


def rank(seed, key):
    """A pseudo-random number of a key: which mutations are drawn does not depend on the other lines of the tree."""
    return hashlib.sha256("\0".join((str(seed), *key)).encode()).digest()


def parse(source):
    return PARSER.parse(source).root_node


def failing_functions(source):
    """The names of the functions of a source that return a status, whether they are declared or defined there."""
    names = set()

    def declared(node):
        kind = node.child_by_field_name("type")
        target = node.child_by_field_name("declarator")
        if kind and kind.text.decode() == FAILING and target and target.type == "function_declarator":
            names.add(target.child_by_field_name("declarator").text.decode())

    for node in parse(source).children:
        nodes = [node] if node.type not in ("preproc_ifdef", "preproc_if") else node.children
        for inner in nodes:
            if inner.type in ("declaration", "function_definition"):
                declared(inner)
    return names


def next_number(text):
    """Another constant of the same type: 0 and 1 are exchanged, whole numbers grow by one, others are doubled."""
    body = text.rstrip("uUlLfF") if not text.lower().startswith("0x") else text.rstrip("uUlL")
    suffix = text[len(body):]
    try:
        value = int(body, 0) if not (body.startswith("0") and body.isdigit() and len(body) > 1) else int(body, 8)
        return f"{ {0: 1, 1: 0}.get(value, value + 1)}{suffix}"
    except ValueError:
        return f"(2 * {text})" if float_value(body) else "1.0" + suffix


def float_value(body):
    try:
        return float.fromhex(body) if "x" in body.lower() else float(body)
    except ValueError:
        return 1.0


class Finder:
    """Walks over the syntax tree and collects changes as (node, kind, replacement)."""

    def __init__(self, failing):
        self.failing = failing
        self.found = []

    def add(self, node, kind, after):
        self.found.append((node, kind, after))

    def walk(self, node):
        if node.type in SKIPPED:
            return
        handler = getattr(self, "on_" + node.type, None)
        if handler:
            handler(node)
        for child in node.named_children:
            if not (node.type == "case_statement" and child == node.child_by_field_name("value")):
                self.walk(child)

    def on_binary_expression(self, node):
        sign = node.child_by_field_name("operator")
        text = sign.text.decode()
        for after in COMPARISONS.get(text, ()):
            self.add(sign, "comparison", after)
        if text in ARITHMETIC:
            self.add(sign, "arithmetic", ARITHMETIC[text])
        if text in LOGICAL:
            self.add(sign, "logic", LOGICAL[text])

    def on_assignment_expression(self, node):
        sign = node.child_by_field_name("operator")
        if sign.text.decode() in ASSIGNMENTS:
            self.add(sign, "arithmetic", ASSIGNMENTS[sign.text.decode()])

    def on_update_expression(self, node):
        sign = node.child_by_field_name("operator")
        self.add(sign, "arithmetic", {"++": "--", "--": "++"}[sign.text.decode()])

    def negate(self, node):
        condition = node.child_by_field_name("condition")
        if condition and condition.type not in ("true", "false", "number_literal"):
            self.add(condition, "condition", f"(!({condition.text.decode()}))")

    on_if_statement = on_while_statement = on_do_statement = on_for_statement = on_conditional_expression = negate

    def on_number_literal(self, node):
        self.add(node, "constant", next_number(node.text.decode()))

    def on_true(self, node):
        self.add(node, "constant", "false")

    def on_false(self, node):
        self.add(node, "constant", "true")

    def delete(self, node):
        if node.named_children or node.type in ("break_statement", "continue_statement"):
            self.add(node, "deletion", ";")

    def on_expression_statement(self, node):
        inner = node.named_children[0] if node.named_children else None
        is_void = inner is not None and inner.type == "cast_expression" and inner.text.startswith(b"(void)") and \
            inner.child_by_field_name("value").type == "identifier"
        if inner is not None and not is_void:  # (void)argument; has no effect
            self.delete(node)

    on_break_statement = on_continue_statement = delete

    def on_call_expression(self, node):
        function = node.child_by_field_name("function").text.decode()
        parent = node.parent
        used = parent.type not in ("expression_statement", "cast_expression")
        if function in self.failing and used:
            self.add(node, "status", f"((void){node.text.decode()}, {SUCCESS})")


def one_line(text):
    return " ".join(text.split())


def find(path, source, failing):
    """All mutations of one source, in the order of the text."""
    finder = Finder(failing)
    finder.walk(parse(source))
    lines = source.decode().split("\n")
    seen, nth = {}, []
    for line in lines:
        text = line.strip()
        nth.append(seen.get(text, 0))
        seen[text] = nth[-1] + 1
    result = []
    for node, kind, after in finder.found:
        row = node.start_point[0]
        column = node.start_point[1] - (len(lines[row]) - len(lines[row].lstrip())) + 1
        change = f"{column}: {one_line(node.text.decode())} -> {one_line(after)}"
        result.append(Mutation(path, row + 1, lines[row].strip(), nth[row], kind, change, node.start_byte, node.end_byte,
                               after))
    return sorted(result, key=lambda m: (m.start, m.kind, m.after))


def draw(mutations, count, seed):
    """`count` mutations, from as many lines: lines at random, then a kind that the line has, then one of that kind."""
    lines = {}
    for mutation in mutations:
        lines.setdefault((mutation.path, mutation.text, str(mutation.nth)), []).append(mutation)
    chosen = []
    for key in sorted(lines, key=lambda key: rank(seed, key))[:count]:
        kinds = sorted({m.kind for m in lines[key]})
        kind = min(kinds, key=lambda kind: rank(seed, key + (kind,)))
        chosen.append(min((m for m in lines[key] if m.kind == kind), key=lambda m: rank(seed, m.key)))
    return chosen
