"""From torch, FlexAttention and Hugging Face objects to masks."""
