"""The sentinel for an option that was not given, where None is a value."""


class Omitted:
    """The type of `OMITTED`."""

    def __repr__(self) -> str:
        return "omitted"


OMITTED = Omitted()
