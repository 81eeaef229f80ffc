"""D-RAC: what documents need before and around their conversion, and the transcription by a model."""
