"""How the offline model is made.

Conversations in the product's own words, a LoRA trained on them, its figures. Development only, never in
the wheel: `make offline-model seed=1 minutes=100`. Generating needs tripletick alone; training needs torch,
gguf, tokenizers and numpy; evaluating needs xllamacpp.
"""
