"""`python -m mrmlib.experiment …`: the command line."""

if __name__ == "__main__":
    from ..tables import Table
    from .command import main

    raise SystemExit(main(show=lambda rows: print(Table(rows))))
