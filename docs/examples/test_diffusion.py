import torch
from diffusion import mask, own_answer


def test_no_noisy_token_reads_its_own_answer():
    reads = torch.vmap(torch.vmap(mask, (None, None, None, 0)), (None, None, 0, None))
    layer = reads(torch.tensor(0), torch.tensor(0), torch.arange(8), torch.arange(8))
    assert not any(layer[q, k] for q in range(8) for k in range(8) if own_answer(q, k))
