"""`python -m fastrag_bench`"""

from fastrag_bench.cli import main

if __name__ == "__main__":
    main()
