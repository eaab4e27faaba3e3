"""One reasoner: what holds, what can be done, what comes next, where to look.

    server's words --> skills --> belief --> operators --> search --> next skill
                                    |                        |
                                    +----> explore <---------+  what is not known yet

It knows no English, no world and no model; it imports `reactree_core` only.
"""
