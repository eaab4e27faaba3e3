"""Reading of a task: a goal in one form, the check that decides its worth, and three readers.

    sentence --> reader (skill text, grammar, model) --> GoalForm --> check --> Goal of the planner

`form` says what a sentence can ask for; `vocabulary` knows the names of the skill server; `check`
decides what a form is worth, whoever wrote it.
"""
