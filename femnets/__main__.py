"""`python -m femnets`: the command line."""

from femnets.cli import main

if __name__ == "__main__":
    main()
