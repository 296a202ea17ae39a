"""A plug-in of mlconv: a target, a format, a pass, a core op with its lowerings, and a kernel."""

API = 1  # the version of `mlconv.plugin` that it was written for
