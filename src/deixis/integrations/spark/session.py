"""The Spark session of the console: what spark-submit has set, or one on this machine."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping

from pyspark.sql import SparkSession

from deixis.errors import ConfigError

QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}


def session(master: str | None = None, settings: Mapping[str, str] | None = None) -> SparkSession:
    """The session that there is, or a new one; executors use this Python unless `PYSPARK_PYTHON` names another."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise ConfigError(
            "Spark needs Java 17 or newer, and there is no 'java'. Install it with: apt-get install "
            "openjdk-17-jre-headless (Debian, Ubuntu), or set JAVA_HOME."
        )
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("deixis")
    for name, value in {**QUIET, **(settings or {})}.items():
        builder = builder.config(name, value)
    return (builder if master is None else builder.master(master)).getOrCreate()
