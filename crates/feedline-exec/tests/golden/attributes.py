"""Attributes as a saved plan has them, for the scripts beside this one."""


def integer(value):
    return {"int": value}


def flag(value):
    return {"bool": value}


def number(value):
    return {"float": value}


def text(value):
    return {"text": value}


def ints(values):
    return {"ints": list(values)}


def given(index):
    """No value of the plan, but input number `index` of the call."""
    return {"input": index}
