"""Is it good? Corpora, judge, measures, baselines: retrieval, tokens, money, time and fidelity, in one command.

Nothing here asks a model unless it is told to; the same inputs give the same figures, times aside.
"""
