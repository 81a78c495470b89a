"""The training transform with tf.data, as TensorFlow's official models write it."""

from collections.abc import Iterator

import tensorflow as tf

from job import MEAN_255, STD_255, Job

NOTE = "decodes the crop's region; bilinear without antialiasing"


def transform(path: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Read, crop, flip and normalise one JPEG."""
    jpeg = tf.io.read_file(path)
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


def batches(job: Job) -> Iterator[tuple[tf.Tensor, tf.Tensor]]:
    """Deliver batches without end."""
    paths, labels = zip(*job.samples, strict=True)
    options = tf.data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = job.workers
    options.threading.max_intra_op_parallelism = 1
    yield from (
        tf.data.Dataset.from_tensor_slices((list(paths), list(labels)))
        .shuffle(len(paths))
        .repeat()
        .map(transform, num_parallel_calls=tf.data.AUTOTUNE)
        .batch(job.batch, drop_remainder=True)
        .prefetch(tf.data.AUTOTUNE)
        .with_options(options)
    )
