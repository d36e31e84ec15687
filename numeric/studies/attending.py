"""What a trained classifier attends, predicts, and loses without what it attends, as a record."""

from collections import Counter
from dataclasses import asdict
from math import log
from typing import TYPE_CHECKING

from attnproof.numeric.studies.study import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from attnproof.numeric.attended import Attended
    from attnproof.numeric.classifier import Classifier, Encoded
    from attnproof.numeric.datasets.dataset import Dataset
    from attnproof.numeric.faithfulness import Faithfulness
    from attnproof.numeric.metrics import Focus

#: The thresholds of attention of a sweep.
TAUS = (0.1, 0.3, 0.5, 0.7, 0.9)
#: The share of the tokens that a rationale holds when it is ranked by attention.
SHARE = 0.1


def attended(model: "Classifier", data: "Encoded") -> "Attended":
    """The attention and the probabilities of a model on examples."""
    import torch

    from attnproof.numeric.attended import Attended

    with torch.no_grad():
        logits, attention = model(data)
    probabilities = torch.softmax(logits, 1)
    return Attended(
        attention.numpy(),
        data.valid.numpy(),
        data.relevant.numpy(),
        probabilities.numpy(),
        data.labels.numpy(),
    )


def measured(model: "Classifier", data: "Encoded", dataset: "Dataset") -> Record:
    """Every number of :mod:`attnproof.numeric.metrics` and ``faithfulness`` on a test set.

    What is ranked by attention keeps a tenth of the tokens; ``zeroed`` is where embeddings are
    zero instead of keys masked. Classes are in the order of the labels.
    """
    from attnproof.numeric.faithfulness import Removal, faithfulness, over_shares, ranked
    from attnproof.numeric.metrics import by_class, dtap, focus, sweep

    def masked(batch: "Encoded", keep: "NDArray[np.bool_]") -> "NDArray[np.float64]":
        return _probabilities(model, batch, keep, zeroed=False)

    def zeroed(batch: "Encoded", keep: "NDArray[np.bool_]") -> "NDArray[np.float64]":
        return _probabilities(model, batch, keep, zeroed=True)

    instances = attended(model, data)
    rationale = ranked(instances, SHARE)
    found = faithfulness(masked, data, instances, rationale)
    averaged = over_shares(masked, data, instances)
    apart = faithfulness(zeroed, data, instances, rationale, Removal.ZEROED_EMBEDDINGS)
    some = focus(instances)
    by_label = [found.of_class(instances.labels, label) for label in range(len(dataset.labels))]
    return {
        "score": dataset.judged(instances.probabilities.argmax(1)),
        "judged_by": dataset.score.value,
        "focus": plain(some),
        "classes": [
            {"label": label, **plain(one), **_faith(each)}
            for label, one, each in zip(dataset.labels, by_class(instances), by_label, strict=True)
        ],
        "sweep": [] if some is None else [list(row) for row in sweep(instances, TAUS)],
        "dtap": [] if some is None else dtap(instances).tolist(),
        **_faith(found),
        "aopc": _faith(averaged),
        "zeroed": _faith(apart),
    }


def guessed(train: "Dataset", test: "Dataset") -> float:
    """The score of the most frequent training label, given to every test example."""
    import numpy as np

    counts = Counter(example.label for example in train.examples)
    return test.judged(np.full(len(test.examples), counts.most_common(1)[0][0]))


def entropy(dataset: "Dataset") -> float:
    """The entropy of the labels, in nats: the loss of their frequencies."""
    counts = Counter(example.label for example in dataset.examples)
    shares = [count / len(dataset.examples) for count in counts.values()]
    return -sum(share * log(share) for share in shares)


def _probabilities(
    model: "Classifier", batch: "Encoded", keep: "NDArray[np.bool_]", *, zeroed: bool
) -> "NDArray[np.float64]":
    import numpy as np
    import torch

    with torch.no_grad():
        logits, _ = model(batch, torch.from_numpy(keep), zeroed=zeroed)
        return np.asarray(torch.softmax(logits, 1).numpy())


def plain(found: "Focus | None") -> Record:
    """Its numbers by name, none where there is nothing."""
    return {} if found is None else asdict(found)


def _faith(found: "Faithfulness | None") -> Record:
    if found is None:
        return {}
    return {
        "sufficiency": found.sufficiency,
        "comprehensiveness": found.comprehensiveness,
    }
