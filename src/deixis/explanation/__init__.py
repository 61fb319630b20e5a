"""Why a mention is linked as it is: the trace of a run as records whose parts add up, and the label tree to look at."""
