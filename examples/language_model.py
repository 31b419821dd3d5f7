"""A model that counts and a model that learns, on the same text: bits per character, and a few words of each.

python examples/language_model.py
"""

import math

import torch

import chainrule as cr

docs = cr.data.python_docs(context=32, batch_size=16)  # Python's own reference, which ships with Python
prompt = docs.tokenizer.encode("The ")
counted = torch.as_tensor(docs.train.tokens).long()

with cr.data.seeded(0):
    gpt = cr.models.gpt(layers=1, dim=32, heads=2, vocabulary=docs.vocabulary, context=32)
learner = cr.learners.Gradient(gpt, cr.objectives.NextToken(), cr.optim.AdamW(lr=1e-2, clip=1.0))
cr.fit(learner, docs.train, steps=400)

models = {f"{order}-gram": cr.models.NGram(counted, order, docs.vocabulary) for order in (1, 3, 5)}
for name, model in {**models, "GPT, 400 steps": gpt}.items():
    loss = cr.training.evaluate(model, cr.objectives.NextToken(), docs.validation)["loss"]
    drawn = cr.generate.text(model, prompt, 50, context=32, temperature=0.7)
    print(f"{name:<18} {loss / math.log(2):.2f} bits per character   {docs.tokenizer.decode(list(drawn))!r}")
