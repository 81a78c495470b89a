"""The evaluation transform with tf.data, as TensorFlow's official models write it."""

from collections.abc import Iterator

import tensorflow as tf

from job import MEAN_255, STD_255, Job

NOTE = "centre 224/256 decoded and resized in one step; no antialiasing"


def transform(path: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Read the centre of one JPEG and normalise it."""
    jpeg = tf.io.read_file(path)
    shape = tf.image.extract_jpeg_shape(jpeg)
    height, width = shape[0], shape[1]
    side = tf.cast(tf.cast(tf.minimum(height, width), tf.float32) * (224 / 256), tf.int32)
    box = tf.stack([(height - side) // 2, (width - side) // 2, side, side])
    image = tf.image.resize(tf.image.decode_and_crop_jpeg(jpeg, box, channels=3), [224, 224])
    return (image - tf.constant(MEAN_255)) / tf.constant(STD_255), label


def batches(job: Job) -> Iterator[tuple[tf.Tensor, tf.Tensor]]:
    """Deliver batches without end."""
    paths, labels = zip(*job.samples, strict=True)
    options = tf.data.Options()
    options.threading.private_threadpool_size = job.workers
    options.threading.max_intra_op_parallelism = 1
    yield from (
        tf.data.Dataset.from_tensor_slices((list(paths), list(labels)))
        .repeat()
        .map(transform, num_parallel_calls=tf.data.AUTOTUNE)
        .batch(job.batch, drop_remainder=True)
        .prefetch(tf.data.AUTOTUNE)
        .with_options(options)
    )
