"""Tree-Planner's three phases: plan sampling, action tree, grounded deciding (section 3)."""
