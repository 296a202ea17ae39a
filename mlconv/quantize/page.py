"""stub"""


def page_of(data: dict[str, object]) -> str:
    """x"""
    return ""
