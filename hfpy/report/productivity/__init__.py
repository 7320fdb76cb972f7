"""Productivity figures: what became of the lines of a code base on its way to a hybrid one (``hfpy report``)."""
