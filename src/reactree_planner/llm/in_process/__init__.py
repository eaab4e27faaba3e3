"""Language models in this process: one session and one prefix cache over any token engine."""
