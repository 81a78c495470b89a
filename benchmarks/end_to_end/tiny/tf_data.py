"""Tiny samples from memory with tf.data."""

from collections.abc import Iterator

import tensorflow as tf

from job import MEAN_255, STD_255, Job

NOTE = "shuffles row numbers, gathers and transforms a whole batch at a time"


def batches(job: Job) -> Iterator[tuple[tf.Tensor, tf.Tensor]]:
    """Deliver batches without end."""
    images, labels = tf.constant(job.tiny_images), tf.constant(job.tiny_labels)

    def transform(rows: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        batch = tf.image.random_flip_left_right(tf.gather(images, rows))
        batch = (tf.cast(batch, tf.float32) - tf.constant(MEAN_255)) / tf.constant(STD_255)
        return batch, tf.gather(labels, rows)

    options = tf.data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = job.workers
    options.threading.max_intra_op_parallelism = 1
    yield from (
        tf.data.Dataset.range(len(job.tiny_images))
        .shuffle(100_000)
        .repeat()
        .batch(job.batch, drop_remainder=True)
        .map(transform, num_parallel_calls=tf.data.AUTOTUNE)
        .prefetch(tf.data.AUTOTUNE)
        .with_options(options)
    )
