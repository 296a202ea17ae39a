"""Small TensorFlow graphs whose results `gen_tf_goldens.py` records: one for each op and variant that
`legalize/from_tf` knows.
"""
