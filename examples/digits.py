"""Train LeNet-5 on handwritten digits, judge it on digits it never saw, keep the weights without pickle.

python examples/digits.py
"""

import tempfile
from pathlib import Path

import chainrule as cr

digits = cr.data.digits(batch_size=64, seed=0)

with cr.data.seeded(0):  # the weights, too, are a function of the seed
    model = cr.models.lenet5(classes=10, pixels=cr.layers.Pixels(mean=(4.9,), deviation=(6.0,), side=32))

learner = cr.learners.Gradient(model, cr.objectives.Classify(), cr.optim.AdamW(lr=3e-3))
watch = cr.training.Evaluate(cr.objectives.Classify(), digits.validation, every=50)
run = cr.fit(learner, digits.train, steps=150, hooks=[watch])

for step, accuracy in zip(*run.curve("validation_accuracy"), strict=True):
    print(f"step {step:>4}: validation accuracy {accuracy:.1%}")

measured = cr.training.evaluate(run.learner.model, cr.objectives.Classify(), digits.test)
print(f"test accuracy {measured['accuracy']:.1%}")

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "lenet.safetensors"
    cr.training.save_model(file, model)
    again = cr.models.lenet5(classes=10, pixels=cr.layers.Pixels(mean=(4.9,), deviation=(6.0,), side=32))
    cr.training.load_model(file, again)
    assert cr.training.evaluate(again, cr.objectives.Classify(), digits.test) == measured
