"""How well a model does: tasks that ship with the package, done one by one, checked, counted and compared."""
