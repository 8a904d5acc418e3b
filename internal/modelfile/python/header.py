#!/usr/bin/env python3
"""Predicts the rows of a CSV file with a model that Foretell has trained.

    python3 model.py blind.csv -o result.csv    predicts the rows of a CSV file
    python3 model.py blind.csv --features       prints their features, see features()

    import model
    model.predict(rows)                         the class of each row
    model.predict_proba(rows)                   the probability of each of model.CLASSES
    model.features(rows)                        the input of the model as ONNX

A row is a dict from column names to the texts that the cells have in a CSV file. None and
NaN are empty cells, and other values are converted to texts: 20221218.0 to 20221218, and in
a column of numbers, True to 1. Other columns are ignored.

The model is MODEL at the end of this file: a Foretell model file, compressed. The code
before it reads the model file, reads CSV files, and predicts. CSV files, and tables whose
columns are separated by spaces, in UTF-8 and UTF-16 are read as `foretell predict` reads
them; other encodings and formats are not supported.
Unlike `foretell predict`, the program does not compare a file with the training rows. It
only warns about columns of numbers and dates of which most values in the first 16,384 rows
cannot be read.
It requires Python 3.9 and NumPy 1.20, or later versions.
"""

import argparse
import base64
import contextlib
import datetime
import functools
import io
import itertools
import json
import math
import os
import re
import struct
import sys
import unicodedata
import zlib

import numpy as np
