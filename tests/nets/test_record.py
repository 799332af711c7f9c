"""`record_gradients` on modules that are not ours, and the rules of the verdicts."""

import importlib.util
import math
import threading
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from base.errors import UserError
from nets import build, record_gradients
from nets.gradients.verdict import judge

EXAMPLE = Path(__file__).parents[2] / "examples" / "record_gradients_cnn.py"


def stack(depth=3, width=4, dtype=torch.float64):
    torch.manual_seed(0)
    layers = [part for _ in range(depth) for part in (nn.Linear(width, width), nn.Tanh())]
    return nn.Sequential(*layers).to(dtype)


def one_pass(model, columns=4):
    x = torch.randn(6, columns, dtype=next(model.parameters()).dtype)
    model(x).square().mean().backward()


def gradient_norms(model):
    return [float(p.grad.norm()) for p in model.parameters()]


def test_norms_are_those_of_the_gradients_after_each_backward():
    model = stack()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    expected = []
    with record_gradients(model) as history:
        for _ in range(5):
            optimizer.zero_grad()
            one_pass(model)
            expected.append(gradient_norms(model))
            optimizer.step()
    assert history.names == tuple(name for name, _ in model.named_parameters())
    np.testing.assert_allclose(history.norms, expected, rtol=1e-14)
    by_layer = np.sqrt(np.square(expected).reshape(5, 3, 2).sum(2))
    np.testing.assert_allclose(history.layer_norms(), by_layer, rtol=1e-14)
    assert history.layers == ("0", "2", "4")
    one_pass(model)
    assert len(history) == 5
    assert all(not p._post_accumulate_grad_hooks for p in model.parameters())


def test_many_passes_of_gradients_large_and_small_present_and_missing():
    """Small ones wait for their norms, a hundred passes here; those of `idle` come and go."""
    torch.manual_seed(0)
    used = [nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4), nn.Linear(4, 70), nn.Linear(70, 70)]
    model = nn.ModuleDict({"used": nn.Sequential(*used), "idle": nn.Linear(4, 4)})
    x, expected = torch.randn(3, 4), []
    with record_gradients(model) as history:
        for k in range(100):
            model.zero_grad()
            idle = model["idle"](x).sum() if k % 40 > 20 else 0.0
            (0.9**k * model["used"](x).square().sum() + idle).backward()
            gradients = [p.grad for p in model.parameters()]
            expected.append([0.0 if g is None else float(g.double().norm()) for g in gradients])
    np.testing.assert_allclose(history.norms, expected, rtol=1e-6)
    assert (history.norms[0, -2:] == 0).all()


def test_scalars_are_kept_entry_by_entry():
    net = build(net="resnet", tau="learned", hidden=3, width=4, inputs=4, outputs=4)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    gradients, values = [], []
    with record_gradients(net, entries=["tau"]) as history:
        for _ in range(3):
            optimizer.zero_grad()
            one_pass(net)
            gradients.append(net.tau.grad.tolist())
            values.append(net.tau.tolist())
            optimizer.step()
    np.testing.assert_array_equal(history.entries["tau"], gradients)
    np.testing.assert_array_equal(history.values["tau"], values)


@pytest.mark.parametrize(
    ("size", "dtype"),
    [(1e30, torch.float32), (1e200, torch.float64), (3e-23, torch.float32), (1e-40, torch.float32),
     (1e-12, torch.float32), (1e-160, torch.float64), (3e-30, torch.bfloat16)],
)  # fmt: skip
def test_norms_whose_squares_overflow_or_underflow(size, dtype):
    """float32 entries of 3e-23 came out 25 % too large with plain squares."""
    entries = torch.full((3,), size, dtype=dtype)
    model = nn.Linear(3, 1, bias=False).to(dtype)
    with record_gradients(model) as history:
        (model.weight * entries).sum().backward()
    exact = entries[0].double().item() * math.sqrt(3)
    assert history.norms[0, 0] == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("size", [1.0, 1e-30, 1e30])
def test_complex_gradients_by_modulus(size):
    torch.manual_seed(0)
    model = nn.Linear(3, 2, dtype=torch.complex64)
    with record_gradients(model, entries=["bias"]) as history:
        (model(torch.randn(4, 3, dtype=torch.complex64)) * size).abs().sum().backward()
    moduli = [np.abs(p.grad.numpy().astype(complex)) for p in model.parameters()]
    exact = [peak * np.linalg.norm(m / peak) for m in moduli if (peak := m.max())]
    np.testing.assert_allclose(history.norms[0], exact, rtol=1e-6)
    np.testing.assert_array_equal(history.entries["bias"][0], model.bias.grad.numpy())


def test_a_lazy_module_is_recorded_from_its_first_pass():
    model = nn.Sequential(nn.LazyLinear(3), nn.Tanh(), nn.LazyLinear(2))
    with record_gradients(model) as history:
        history.record()
        one = model(torch.ones(4, 5))
        one.sum().backward()
        model(torch.ones(4, 5)).sum().backward()
    assert len(history) == 3
    np.testing.assert_allclose(history.norms[-1], gradient_norms(model), rtol=1e-6)
    assert history.verdict().label == "healthy"
    assert all(not p._post_accumulate_grad_hooks for p in model.parameters())


def test_an_empty_history_answers_everything():
    with record_gradients(stack(), entries=["0.weight"]) as history:
        pass
    assert len(history) == 0
    assert history.norms.shape == (0, 6)
    assert history.layer_norms().shape == (0, 3)
    assert history.table() == "no backward pass was recorded"
    assert history.entries["0.weight"].size == history.values["0.weight"].size == 0
    with pytest.raises(UserError, match="no backward pass -1 was recorded"):
        history.verdict()


def test_passes_of_two_threads_make_a_row_each():
    model = stack(depth=10)
    with record_gradients(model, entries=["0.bias"]) as history:
        threads = [
            threading.Thread(target=lambda: [one_pass(model) for _ in range(40)]) for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(history) == len(history.entries["0.bias"]) == 80


def test_closures_and_manual_records():
    model = stack()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)
    x = torch.randn(6, 4, dtype=torch.float64)

    def closure():
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        return loss

    with record_gradients(model) as history:
        optimizer.step(closure)
        seen = len(history)
        history.record()
    assert seen >= 3
    assert len(history) == seen + 1


def test_autograd_grad_makes_no_row():
    """Gradient penalties take derivatives in between: they accumulate nothing."""
    model = stack(depth=10)
    x = torch.randn(6, 4, dtype=torch.float64, requires_grad=True)
    with record_gradients(model) as history:
        for _ in range(3):
            torch.autograd.grad(model(x).sum(), x)
            one_pass(model)
    assert len(history) == 3


def test_a_module_whose_parts_are_called_is_recorded_every_time():
    model = stack(depth=10)
    with record_gradients(model) as history:
        one_pass(model)
        for part in model[::2]:
            part(torch.ones(2, 4, dtype=torch.float64)).sum().backward(inputs=[part.bias])
        one_pass(model)
    assert len(history) == 1 + 10 + 1
    np.testing.assert_allclose(history.norms[-1], gradient_norms(model), rtol=1e-14)


def test_a_pass_that_raises_does_not_end_the_recording():
    model = stack()

    def refuse(_):
        raise ArithmeticError

    with record_gradients(model) as history:
        one_pass(model)
        hook = model[0].weight.register_hook(refuse)  # the last to receive its gradient
        with pytest.raises(ArithmeticError):
            one_pass(model)
        hook.remove()
        one_pass(model)
    assert len(history) == 2


def test_sparse_gradients():
    """Of an embedding: a row that is looked up twice has its two parts added first."""
    torch.manual_seed(0)
    norms = []
    for sparse in (True, False):
        model = nn.Sequential(nn.Embedding(5, 3, sparse=sparse), nn.Linear(3, 1))
        model.load_state_dict({k: torch.ones_like(v) for k, v in model.state_dict().items()})
        with record_gradients(model) as history:
            model(torch.tensor([1, 1, 4])).square().sum().backward()
        norms.append(history.norms[0])
    np.testing.assert_allclose(*norms)


def test_a_module_without_parameters_and_an_unknown_entry():
    with pytest.raises(UserError, match="nothing to record"), record_gradients(nn.ReLU()):
        pass
    with (
        pytest.raises(UserError, match="no parameter 'tau'"),
        record_gradients(stack(), entries=["tau"]),
    ):
        pass


def test_a_compiled_module_is_recorded_under_its_own_names():
    """By torch's own tracer and autograd; only the generator of machine code is left out."""
    model = stack()
    compiled = torch.compile(model, backend="aot_eager")
    with record_gradients(compiled) as history:
        one_pass(compiled)
        one_pass(compiled)
    assert history.names == tuple(name for name, _ in model.named_parameters())
    np.testing.assert_allclose(history.norms[1], gradient_norms(model))


def test_the_factor_of_a_scaler_is_taken_out():
    model = stack(dtype=torch.float32)
    x = torch.randn(6, 4)
    with record_gradients(model) as plain:
        model(x).square().mean().backward()
    model.zero_grad()
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with record_gradients(model, scaler=scaler) as scaled:
        for _ in range(2):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = model(x).float().square().mean()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
    assert len(scaled) == 2
    np.testing.assert_allclose(scaled.norms[0], plain.norms[0], rtol=0.1)  # three digits of bfloat


@pytest.mark.parametrize(("every", "rows"), [(1, 6), (3, 2)])
def test_accumulation_makes_one_row_per_pass_or_per_step(every, rows):
    model = stack()
    with record_gradients(model, every=every) as history:
        for _ in range(2):
            model.zero_grad()
            for _ in range(3):
                one_pass(model)
    assert len(history) == rows
    np.testing.assert_allclose(history.norms[-1], gradient_norms(model))


@pytest.mark.parametrize("every", [0, -1, 1.5, "2", True])
def test_only_whole_numbers_of_passes_make_a_row(every):
    with pytest.raises(UserError, match="every"), record_gradients(nn.Linear(2, 1), every=every):
        pass


def test_repr_pandas_and_plot():
    pytest.importorskip("pandas")
    import matplotlib.pyplot as plt

    model = stack()
    with record_gradients(model) as history:
        assert repr(history) == "<GradientHistory: 0 passes × 6 parameters>"
        for _ in range(3):
            one_pass(model)
    assert repr(history) == "<GradientHistory: 3 passes × 6 parameters, healthy>"
    frame = history.to_pandas()
    assert list(frame) == list(history.names)
    np.testing.assert_array_equal(frame.to_numpy(), history.norms)
    axes = history.plot()
    assert [line.get_label() for line in axes.lines] == list(history.layers)
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), history.layer_norms()[:, 0])
    plt.close(axes.figure)


def test_vanishing_is_seen_in_a_deep_sigmoid_net():
    torch.manual_seed(0)
    layers = [part for _ in range(12) for part in (nn.Linear(8, 8), nn.Sigmoid())]
    model = nn.Sequential(*layers)
    with record_gradients(model) as history:
        one_pass(model, columns=8)
    assert history.verdict().label == "vanishing"
    assert "vanishing" in history.table()


def test_example_runs_and_learns():
    spec = importlib.util.spec_from_file_location("record_gradients_cnn", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    text = example.main(steps=25)
    for word in ("lift.weight", "residual.weight", "tau", "classify.weight", "τ went from"):
        assert word in text


@pytest.mark.parametrize(
    ("profile", "label"),
    [
        ([0.0, 0.5, -0.5, 0.0], "healthy"),
        ([-4.0, -2.0, 0.0], "vanishing"),
        ([-40.0, -20.0, 0.0], "vanishing"),
        ([4.0, 2.0, 0.0], "exploding"),
        ([400.0, 200.0, 0.0], "exploding"),
        ([math.inf, 0.0], "exploding"),
        ([0.0, -math.inf, 0.0], "dead layer"),
        ([-math.inf, -math.inf], "dead layer"),
        ([0.0, -18.0, 0.0], "dead layer"),
    ],
)
def test_rules(profile, label):
    assert judge(profile).label == label
