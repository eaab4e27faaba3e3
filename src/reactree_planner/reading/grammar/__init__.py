"""A small grammar of imperative English, by composition: functions over one chart of a sentence.

    chart          tokens, names and verbs of a sentence; rules are remembered by place
    noun_phrases   "two clean crates from the shelf", lists, pronouns
    clauses        what is asked: places, states, things in hand, acts
    prohibitions   what is forbidden or limited; where in doubt, more is
    sentences      clauses in order, their circumstances, what pronouns stand for: a `GoalForm`

It writes the same form as a model does, and the check decides what that is worth.
"""
