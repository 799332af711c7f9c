"""Given the equation and the boundary values, never the field: finite elements and nets.

The paper's four variants at equal numbers of parameters (but for the τ's themselves): does τ or γ
matter when a net is given the equation? The best net; a comparison of the optimisers, whose winner
is `auto` on the track *solve*; N₀, N₁, the p-version, its hp layers at a singular edge, and
adaptive tetrahedra. All nets stop by evaluations; equal time is read off the recorded curves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench import problems
from bench.cells import Cell, paired
from bench.problems import Problem
from bench.studies import _every as every
from bench.studies._meshes import Settings, offered, uniform

YIELDS = ("l2_error", "hcurl_error", "J", "residual", "evaluations", "seconds", "dofs")

VARIANTS = tuple((net, tau) for net in ("resnet", "fractional") for tau in ("fixed", "learned"))
ALONG_EDGE = 8  # order of hp bricks along the edge; with 6 `screen` stays at 1.8e-7
THINNEST = 1e-21  # of the layers; thinner ones are refused
# An evaluation on `maxwell` is the cheapest, 0.8 ms: half as many again fill the same time.
LONGER = {"maxwell": 1.5}


@dataclass(frozen=True)
class Config:
    problems: tuple[str, ...] = every.fields()
    width: int = 20
    # The four variants are compared on the paper's field and on `helix`, which is harder.
    variants_on: tuple[str, ...] = ("maxwell", "helix")
    evaluations: int = 1500
    seeds: tuple[int, ...] = tuple(range(1100, 1112))
    best_evaluations: int = 30_000  # 34 s on `maxwell`, 74 s on `helix`
    best_seeds: tuple[int, ...] = tuple(range(1100, 1112))
    weak_forms: tuple[str, ...] = ("weak", "first-order")
    # An evaluation of the weak form costs nine of the strong one: 110 s a net at 6000.
    weak_evaluations: int = 2000
    racers: tuple[str, ...] = ("adam", "lbfgs", "lm", "ssbfgs", "ssbroyden")
    race_evaluations: int = 4000
    race_seeds: tuple[int, ...] = (1100, 1101, 1102)
    # Partly trained: output weights eliminated. A step is two Jacobians, 60 evaluations of `auto`.
    projected_evaluations: int = 240
    projected_seeds: tuple[int, ...] = tuple(range(1100, 1112))
    # Untrained: by number of features, on smooth fields (1, 3, 14 s) and at a singular edge (2 to
    # 50 s). In the pilot (seed 5, equal sizes) sines were as accurate as tanh units on `screen` and
    # `curlsing` and 20 to 50 times more accurate on `helix` and `maxwell`, in the same time.
    features: tuple[int, ...] = (300, 450, 600, 1000)
    edge_features: tuple[int, ...] = (200, 300, 450, 700, 1000)
    feature_activations: tuple[str, ...] = ("sine",)
    feature_seeds: tuple[int, ...] = tuple(range(1100, 1112))
    # Nets interpolated into elements, on the first field: element, cells per side, order.
    spaces: tuple[str, ...] = ("N0 3", "N1 2", "hexP 1 3")
    interpolated_evaluations: int = 2000
    interpolated_seeds: tuple[int, ...] = tuple(range(1100, 1112))
    # Ladders climb to half of the common budget of 60 s or to their natural end: some 20 layers,
    # beyond which rounding raises the error. CPU seconds on a busy machine: N₀ at n = 144 34 to 48;
    # N₁ at n = 32 31 to 39 (4 GiB); graded at n = 48 18 to 27; 25 refinements 19 to 38 (0.7 GiB);
    # 20 layers 2 to 5.
    n0: tuple[int, ...] = (4, 8, 16, 32, 64, 128, 144, 176)
    n1: tuple[int, ...] = (2, 4, 8, 16, 32)
    graded: tuple[int, ...] = (8, 16, 32, 48, 56, 64)  # N₀ given the place of the edge
    grading: float = 2.5
    orders: tuple[int, ...] = (2, 4, 6, 8, 10, 12, 14, 16)
    # At a singular edge too, one order on uniform meshes, which are not given its place: cells per
    # side. Order 32 at n = 5 (17 million unknowns) takes a minute and is too large to be certified.
    uniform_order: int = 32
    uniform_n: tuple[int, ...] = (1, 2, 3, 4, 5)
    # How much thinner a layer is than the one before. In a pilot with 18 layers the L² error of
    # `curlsing` is smallest at 0.3 (2.4e-13; 7.4e-11 at 0.15), all others are at 0.15.
    ratios: tuple[float, ...] = (0.1, 0.15, 0.2, 0.3, 0.4)
    layers: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20, 22)
    refine: tuple[int, ...] = (4, 8, 12, 16, 20, 25, 27)


PRESETS = {
    "quick": Config(
        problems=("maxwell", "curlsing"),
        variants_on=("maxwell", "curlsing"),
        width=8,
        evaluations=60,
        seeds=(0,),
        best_evaluations=300,
        best_seeds=(0,),
        weak_forms=(),
        racers=(),
        projected_evaluations=40,
        projected_seeds=(0,),
        features=(60, 120),
        edge_features=(40, 80),
        feature_activations=("tanh",),
        feature_seeds=(0,),
        spaces=("hexP 1 2",),
        interpolated_evaluations=200,
        interpolated_seeds=(0,),
        n0=(4,),
        n1=(2,),
        orders=(2, 4, 8),
        uniform_order=8,
        uniform_n=(1, 2),
        graded=(),
        ratios=(0.15,),
        layers=(1, 2, 3, 4),
        refine=(),
    ),
    "paper": Config(),
    "full": Config(
        variants_on=every.fields(),
        best_evaluations=40_000,
        weak_evaluations=8000,
        best_seeds=tuple(range(1100, 1120)),
        seeds=tuple(range(1100, 1120)),
        race_seeds=tuple(range(1100, 1110)),
        features=(300, 600, 1000, 1600),
        edge_features=(200, 300, 450, 700, 1000),
    ),
}
# A step of Levenberg–Marquardt costs as much as some forty evaluations of the others.
JACOBIANS = 20
# On a problem of one's own: the net of `femnets train --track solve`, some 20 s of one core.
OWN_WIDTH, OWN_EVALUATIONS = 20, 6000
NEEDS_U = True


def on(config: Config, problem: Problem) -> Config:
    """Apply only where u is known, with a budget at which the net converges; the paper's variants
    are left out."""
    changed = replace(
        config,
        problems=(problem.name,),
        variants_on=(),
        width=max(config.width, OWN_WIDTH),
        best_evaluations=max(config.best_evaluations, OWN_EVALUATIONS),
        n0=offered(problem, config.n0),
        n1=offered(problem, config.n1),
    )
    if problem.domain.structured:
        return changed
    return replace(changed, orders=(), uniform_n=(), layers=())


def cells(config: Config) -> list[Cell]:
    nets = [*_variants(config), *_best(config), *_race(config), *_partly(config)]
    return [*nets, *_untrained(config), *_interpolated(config), *_elements(config)]


def _variants(config: Config) -> list[Cell]:
    common = {"width": config.width, "evaluations": float(config.evaluations), "every": 10}
    return [
        Cell("solved_net", common | {"problem": problem, "net": net, "tau": tau} | paired(seed))
        for problem in config.problems
        if problem in config.variants_on
        for net, tau in VARIANTS
        for seed in config.seeds
    ]


def _best(config: Config) -> list[Cell]:
    """`auto` on a wider net for `helix`, which is harder; other forms on the first field."""
    common = {"evaluations": float(config.best_evaluations), "every": 50}
    fields = [
        {
            "problem": problem,
            "width": config.width * (3 if problem == "helix" else 2) // 2,
            "evaluations": float(round(config.best_evaluations * LONGER.get(problem, 1.0))),
            "every": 50,
        }
        for problem in config.problems
    ]
    weak = common | {"evaluations": float(config.weak_evaluations), "width": config.width}
    fields += [weak | {"problem": config.problems[0], "form": form} for form in config.weak_forms]
    return [
        Cell("solved_net", settings | paired(seed))
        for settings in fields
        for seed in config.best_seeds
    ]


def _race(config: Config) -> list[Cell]:
    return [
        Cell(
            "solved_net",
            {
                "problem": config.problems[0],
                "width": config.width,
                "optimizer": optimizer,
                "evaluations": float(config.race_evaluations)
                / (JACOBIANS if optimizer == "lm" else 1),
                "every": 50,
                **paired(seed),
            },
        )
        for optimizer in config.racers
        for seed in config.race_seeds
    ]


def _partly(config: Config) -> list[Cell]:
    """Nets of one hidden layer whose output weights are eliminated, on the smooth fields."""
    common = {"net": "feedforward", "tau": "fixed", "hidden": 1, "optimizer": "varpro", "every": 4}
    common |= {"width": 3 * config.width, "evaluations": float(config.projected_evaluations)}
    return [
        Cell("solved_net", common | {"problem": problem} | paired(seed))
        for problem in config.problems
        if problems.get(problem).smooth
        for seed in config.projected_seeds
    ]


def _untrained(config: Config) -> list[Cell]:
    return [
        Cell(
            "untrained_net",
            {"problem": problem, "features": count, "activation": activation} | paired(seed),
        )
        for problem in config.problems
        for count in (config.features if problems.get(problem).smooth else config.edge_features)
        for activation in config.feature_activations
        for seed in config.feature_seeds
    ]


def _interpolated(config: Config) -> list[Cell]:
    common = {"problem": config.problems[0], "width": config.width}
    common["evaluations"] = float(config.interpolated_evaluations)
    return [
        Cell("interpolated_net", common | _space(text) | {"seed": seed})
        for text in config.spaces
        for seed in config.interpolated_seeds
    ]


def _space(text: str) -> Settings:
    """The settings of `N1 2` or `hexP 1 3`: element, cells per side, order."""
    element, n, *order = text.split()
    return {"element": element, "n": int(n), "order": int(order[0]) if order else None}


def _elements(config: Config) -> list[Cell]:
    cells: list[Settings] = []
    for problem in config.problems:
        smooth = problems.get(problem).smooth
        orders = config.orders if smooth else ()
        cells += uniform(problem, every.solving(), config.n0, config.n1, orders)
        if not smooth:
            bricks = {"problem": problem, "element": "hexP"}
            cells += [bricks | {"order": config.uniform_order, "n": n} for n in config.uniform_n]
            hp = bricks | {"order": ALONG_EDGE, "n": 1}
            cells += [
                hp | {"ratio": ratio, "layers": layers}
                for ratio in config.ratios
                for layers in config.layers
                if ratio**layers > THINNEST
            ]
            adaptive = {"problem": problem, "element": "N0", "n": 2}
            cells += [adaptive | {"refine": k} for k in config.refine]
            graded = {"problem": problem, "element": "N0", "grading": config.grading}
            cells += [graded | {"n": n} for n in config.graded]
    return [Cell("fem", settings | {"solve": True}) for settings in cells]
