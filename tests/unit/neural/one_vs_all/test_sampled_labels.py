import numpy as np
import pytest
from scipy import sparse

torch = pytest.importorskip("torch")

from deixis.errors import ConfigError  # noqa: E402
from deixis.neural.one_vs_all.config import BagConfig, OneVsAllConfig  # noqa: E402
from deixis.neural.one_vs_all.sampled_labels import SampledClassifiers  # noqa: E402
from deixis.neural.one_vs_all.train import all_labels_slope, train_one_vs_all  # noqa: E402

N_DOCUMENTS, N_LABELS, BATCH = 64, 40, 8


@pytest.fixture
def problem():
    torch.manual_seed(0)
    targets = sparse.random(N_DOCUMENTS, N_LABELS, density=0.05, random_state=0, format="csr", dtype=np.float32)
    return torch.randn(N_DOCUMENTS, 6), torch.randn(N_LABELS, 6), targets


def sampled(first, targets, n_negatives):
    return SampledClassifiers(first.clone(), targets, n_negatives, BATCH, rate=0.1, n_steps=10)


def test_on_average_the_sampled_loss_and_slopes_are_those_of_all_labels(problem):
    vectors, first, targets = problem
    some, generator = sampled(first, targets, n_negatives=12), np.random.default_rng(0)
    exact, found, exact_rows, found_rows = 0.0, 0.0, torch.zeros_like(first), torch.zeros_like(first)
    for _ in range(3000):
        rows = generator.choice(N_DOCUMENTS, BATCH, replace=False)
        found += some.slope(vectors[rows], targets[rows])[0]
        found_rows += some.weights.grad.to_dense()
        every = torch.nn.Parameter(first.clone())
        exact += all_labels_slope(vectors[rows], every, targets[rows])[0]
        exact_rows += every.grad
    assert found == pytest.approx(exact, rel=0.03)
    assert float((found_rows - exact_rows).norm() / exact_rows.norm()) < 0.08


def test_only_labels_that_were_looked_at_are_moved(problem):
    vectors, first, targets = problem
    some = sampled(first, targets, n_negatives=3)
    some.slope(vectors[:BATCH], targets[:BATCH])
    some.step()
    is_moved = (some.weights.detach() != first).any(dim=1).numpy()
    own = np.unique(targets[:BATCH].indices)
    assert is_moved[own].all()
    assert is_moved.sum() <= len(own) + 3


def test_a_ranker_learned_on_samples_ranks_as_one_learned_on_all():
    generator = np.random.default_rng(1)
    labels = generator.integers(0, 30, 600)
    X = sparse.csr_matrix((np.ones(600, np.float32), (np.arange(600), labels)), shape=(600, 30))
    Y = sparse.csr_matrix((np.ones(600, np.float32), (np.arange(600), (labels + 7) % 30)), shape=(600, 30))
    config = OneVsAllConfig(bag=BagConfig(n_dims=32), n_epochs=20, batch_size=32, n_negatives=5)
    found = train_one_vs_all(X, Y, config).rank(X[:200], k=1).indices
    assert np.mean(found == (labels[:200] + 7) % 30) > 0.95


def test_the_same_seed_learns_the_same():
    eye = np.eye(12, dtype=np.float32)
    config = OneVsAllConfig(bag=BagConfig(n_dims=8), n_epochs=3, batch_size=4, n_negatives=2)
    one, two = (train_one_vs_all(eye, eye, config, seed=5).labels_by_dims for _ in range(2))
    assert np.array_equal(one, two)


def test_fewer_than_no_labels_cannot_be_drawn():
    with pytest.raises(ConfigError, match="n_negatives must be at least 0, got -1"):
        OneVsAllConfig(n_negatives=-1)
