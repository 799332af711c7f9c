"""femnets: when does a neural network beat a finite element, at what cost, and why?

The Python interface. Every name is imported when first used, so `import femnets` is fast.

    import femnets

    mine = femnets.problem("./mine.py")                       # or a name: "maxwell"
    femnets.best_approximation(mine, n=4, element="N1").l2_error
    femnets.solve(mine, n=4).l2_error                         # given f, phi and the trace only
    net = femnets.build(net="resnet", hidden=2, width=20)
    femnets.train(net, *femnets.samples(mine, 1000))
    femnets.surrogate(family="bump", snapshots=24)([3.0, 0.4])  # the field at μ, points -> values
    femnets.load("demo").to_pandas()                          # a run as one tidy table
    femnets.report("demo")                                    # its page and its PDF
"""

from __future__ import annotations

from base.lazy import lazily

_HOME = {
    "__version__": "femnets.version",
    "Domain": "bench.domains",
    "Loss": "nets",
    "Problem": "bench.problems",
    "best_approximation": "femnets.fields",
    "build": "nets",
    "certify": "femnets.fields",
    "check": "femnets.fields",
    "gradient_study": "nets",
    "grad_norms": "nets",
    "load": "femnets.runs",
    "loss_and_grad": "nets",
    "mesh_domain": "bench.domains.parts.mesh_file",
    "problem": "femnets.fields",
    "random_features": "femnets.fields",
    "record_gradients": "nets",
    "report": "femnets.runs",
    "samples": "femnets.fields",
    "solve": "femnets.fields",
    "surrogate": "femnets.fields",
    "train": "nets",
}

__all__ = sorted(_HOME)
__getattr__, __dir__ = lazily(__name__, _HOME)
