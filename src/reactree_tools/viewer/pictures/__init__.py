"""Pictures of a run's tree, as in the ReAcTree paper's figure of a success case."""
