"""The training transform with tf.data, as TensorFlow's official models write it."""

from collections.abc import Iterator

import tensorflow as tf

from job import MEAN_255, STD_255, Job

NOTE = "decodes the crop's region; bilinear without antialiasing"


FEATURES = {
    "image/encoded": tf.io.FixedLenFeature([], tf.string),
    "image/class/label": tf.io.FixedLenFeature([], tf.int64),
}


def read_file(path: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Read and transform one file."""
    return transform(tf.io.read_file(path), label)


def read_record(record: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Parse and transform one record."""
    features = tf.io.parse_single_example(record, FEATURES)
    return transform(features["image/encoded"], features["image/class/label"])


def transform(jpeg: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Crop, flip and normalise one JPEG."""
    begin, size, _ = tf.image.sample_distorted_bounding_box(
        tf.image.extract_jpeg_shape(jpeg),
        bounding_boxes=tf.constant([0.0, 0.0, 1.0, 1.0], shape=[1, 1, 4]),
        min_object_covered=0.0,
        aspect_ratio_range=[3 / 4, 4 / 3],
        area_range=[0.08, 1.0],
        max_attempts=10,
        use_image_if_no_bounding_boxes=True,
    )
    box = tf.stack([begin[0], begin[1], size[0], size[1]])
    image = tf.image.decode_and_crop_jpeg(jpeg, box, channels=3)
    image = tf.image.random_flip_left_right(tf.image.resize(image, [224, 224]))
    return (image - tf.constant(MEAN_255)) / tf.constant(STD_255), label


def samples(job: Job) -> tf.data.Dataset:
    """Deliver transformed samples without end, shuffled as far as the source allows."""
    if job.source == "tfrecord":
        return (
            tf.data.Dataset.from_tensor_slices(job.shards)
            .shuffle(len(job.shards))
            .repeat()
            .interleave(tf.data.TFRecordDataset, num_parallel_calls=tf.data.AUTOTUNE)
            .shuffle(1000)
            .map(read_record, num_parallel_calls=tf.data.AUTOTUNE)
        )
    paths, labels = zip(*job.samples, strict=True)
    return (
        tf.data.Dataset.from_tensor_slices((list(paths), list(labels)))
        .shuffle(len(paths))
        .repeat()
        .map(read_file, num_parallel_calls=tf.data.AUTOTUNE)
    )


def batches(job: Job) -> Iterator[tuple[tf.Tensor, tf.Tensor]]:
    """Deliver batches without end."""
    options = tf.data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = job.workers
    options.threading.max_intra_op_parallelism = 1
    yield from (
        samples(job)
        .batch(job.batch, drop_remainder=True)
        .prefetch(tf.data.AUTOTUNE)
        .with_options(options)
    )
