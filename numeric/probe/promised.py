"""The relation that a configuration promises: a mask for each layer, and their product by depth.

Convention: ``mask[q, k]`` is true when query ``q`` may read key ``k``; a layer keeps what each
position holds already.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from attnproof.symbolic.errors import InputError
from attnproof.symbolic.masks.mask import Mask
from attnproof.symbolic.named.registry import get
from attnproof.symbolic.words import counted

#: How Hugging Face names the layers that mix positions by something else than attention.
_RECURRENT = ("linear_attention", "mamba", "recurrent", "conv", "lightning_attention")
_ATTENTION = ("full_attention", "attention", "global")
_POINTWISE = ("moe", "mlp")
_SLIDING = ("sliding_attention", "local", "sliding_window")
_WINDOWS = ("sliding_window", "attention_window_size", "window_size")


class Reads(Enum):
    """What a query of a layer may read."""

    PAST = "the past"
    ITSELF = "itself"
    WINDOW = "a window"
    CHUNK = "its chunk"
    EVERYTHING = "everything"
    NEAR = "both sides"
    GIVEN = "a given mask"


@dataclass(frozen=True, slots=True)
class LayerKind:
    """What one layer may read; ``size`` counts the keys of a window, itself included, the tokens of
    a chunk, or how far a query reads on either side.

    ``attends`` is false for a layer without attention: a recurrence or a convolution.
    ``given(n)`` is the mask of a layer for which none has a name.
    """

    reads: Reads
    size: int | None = None
    attends: bool = True
    given: Callable[[int], Mask] | None = None

    def mask(self, n: int) -> Mask:
        """The mask at ``n`` positions.

        >>> LayerKind(Reads.WINDOW, 2).mask(3)
        Mask 3×3 (row = query)
        #··
        ##·
        ·##
        """
        if self.given is not None:
            return self.given(n)
        match self.reads:
            case Reads.WINDOW:
                return get("window").mask(n, keys=self.size)
            case Reads.CHUNK:
                return get("chunked").mask(n, chunk=self.size)
            case Reads.NEAR:
                return get("bidirectional_window").mask(n, radius=self.size)
            case Reads.EVERYTHING:
                return get("full").mask(n)
            case Reads.ITSELF:
                return get("window").mask(n, keys=1)
            case _:
                return get("causal").mask(n)

    def __str__(self) -> str:
        match self.reads:
            case Reads.WINDOW:
                return f"a window of {counted(self.size or 0, 'key')}"
            case Reads.CHUNK:
                return f"chunks of {self.size}"
            case Reads.NEAR:
                return f"{counted(self.size or 0, 'key')} on either side"
            case Reads.PAST if not self.attends:
                return "the past, by recurrence"
            case _:
                return str(self.reads.value)


CAUSAL = LayerKind(Reads.PAST)
RECURRENT = LayerKind(Reads.PAST, attends=False)
FULL = LayerKind(Reads.EVERYTHING)


@dataclass(frozen=True, slots=True)
class Promise:
    """What the layers of a model may read, first layer first.

    ``encoder`` holds the layers of an encoder that the others read through cross-attention.
    ``any_depth`` says that the layers may be stacked any number of times. ``two_stream`` says that
    a query stream reads a content stream, as XLNet does. ``packed`` says that position ids that
    start again separate documents.
    """

    layers: tuple[LayerKind, ...]
    encoder: tuple[LayerKind, ...] = ()
    any_depth: bool = False
    two_stream: bool = False
    packed: bool = False
    name: str = "promise"

    @property
    def causal(self) -> bool:
        """Whether no layer reads ahead by its kind, but for an encoder."""
        return not any(kind.reads in (Reads.EVERYTHING, Reads.NEAR) for kind in self.layers)

    @property
    def attends(self) -> bool:
        """Whether some layer has attention."""
        return any(kind.attends for kind in (*self.encoder, *self.layers))

    @property
    def chunk(self) -> int | None:
        """The length of the chunks that a layer reads in, if one does."""
        sizes = (kind.size for kind in self.layers if kind.reads is Reads.CHUNK)
        return next(sizes, None)

    def __str__(self) -> str:
        if self.any_depth and not self.encoder and len(set(self.layers)) == 1:
            return f"{self.layers[0]}, at any depth"
        told = _told(self.layers)
        if self.encoder:
            told = f"encoder {_told(self.encoder)}; decoder {told}, and the encoder"
        return told + (", at any depth" if self.any_depth else "")


def promise_of(config: Any) -> Promise:
    """The relation that a configuration of Hugging Face promises, layer by layer.

    >>> from types import SimpleNamespace
    >>> config = SimpleNamespace(is_decoder=True, num_hidden_layers=2, sliding_window=3,
    ...                          layer_types=["sliding_attention", "full_attention"])
    >>> print(promise_of(config))
    layer 0: a window of 3 keys; layer 1: the past

    Raises :class:`InputError` for a model of which it is not known which way it reads, and for a
    kind of layer that is not known.
    """
    config = config.get_text_config() if hasattr(config, "get_text_config") else config
    if getattr(config, "is_encoder_decoder", False):
        encoder = _number(config, "encoder_layers", "num_encoder_layers", "num_layers")
        decoder = _number(config, "decoder_layers", "num_decoder_layers", "num_layers")
        return Promise((CAUSAL,) * decoder, (FULL,) * encoder)
    count = _number(config, "num_hidden_layers", "n_layer", "num_layers")
    if getattr(config, "model_type", "") == "xlnet":
        layers = (CAUSAL if config.attn_type == "uni" else FULL,) * count
        return Promise(layers, two_stream=True)
    causal = _reads_back(config)
    return Promise(tuple(_kind(name, config, causal) for name in _kinds(config, count)))


def _reads_back(config: Any) -> bool:
    """Whether the model is causal: by its own word, else by the task that it is trained for."""
    if getattr(config, "use_bidirectional_attention", False):
        return False
    if getattr(config, "is_decoder", False):
        return True
    from transformers.models.auto import modeling_auto

    kind = getattr(config, "model_type", "")
    if kind in modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES:
        return False
    if kind in modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return True
    raise InputError(
        f"it is not known what a model of type {kind!r} promises to read; say what it must stay "
        "within: causal, or a mask",
        model_type=kind,
    )


def _kinds(config: Any, count: int) -> Sequence[str]:
    """The kind of each layer as the configuration names it; attention where it names none."""
    for name in ("layer_types", "layers_block_type", "attention_layers"):
        kinds = getattr(config, name, None)
        if kinds:
            return list(kinds)
    if getattr(config, "state_size", None) is not None:
        return ["mamba"] * count
    window = getattr(config, "sliding_window", None)
    sliding = window is not None and getattr(config, "use_sliding_window", True)
    return ["sliding_attention" if sliding else "full_attention"] * count


def _kind(name: str, config: Any, causal: bool) -> LayerKind:
    if name in _SLIDING or (name == "attention" and _window(config) is not None):
        keys = _window(config)
        if keys is None:
            raise InputError(f"the configuration has {name} layers and no length of the window")
        return LayerKind(Reads.WINDOW if causal else Reads.NEAR, keys)
    if name == "chunked_attention":
        return LayerKind(Reads.CHUNK, int(config.attention_chunk_size))
    if name in _ATTENTION:
        return CAUSAL if causal else FULL
    if name in _RECURRENT:
        return RECURRENT
    if name == "hybrid":
        return CAUSAL
    if name in _POINTWISE:
        return LayerKind(Reads.ITSELF, attends=False)
    raise InputError(
        f"it is not known what a layer of kind {name!r} reads; say what the model must stay "
        "within: causal, or a mask",
        kind=name,
    )


def _window(config: Any) -> int | None:
    return next((int(size) for name in _WINDOWS if (size := getattr(config, name, None))), None)


def _number(config: Any, *names: str) -> int:
    for name in names:
        value = getattr(config, name, None)
        if isinstance(value, int):
            return value
    raise InputError(f"the configuration does not say how many layers it has ({', '.join(names)})")


def _told(layers: Sequence[LayerKind]) -> str:
    """Layers in words; those of one kind together."""
    if len(set(layers)) == 1:
        return f"{counted(len(layers), 'layer')}: {layers[0]}"
    return "; ".join(f"layer {depth}: {kind}" for depth, kind in enumerate(layers))
