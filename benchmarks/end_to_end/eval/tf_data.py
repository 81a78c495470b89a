"""The evaluation transform with tf.data, as TensorFlow's official models write it."""

from collections.abc import Iterator

import tensorflow as tf

from job import MEAN_255, STD_255, Job

NOTE = "centre 224/256 resized in one step, and of a JPEG only it decoded; no antialiasing"


def centre_box(shape: tf.Tensor) -> tf.Tensor:
    """What the crop shows of an image: top, left, height, width."""
    height, width = shape[0], shape[1]
    side = tf.cast(tf.cast(tf.minimum(height, width), tf.float32) * (224 / 256), tf.int32)
    return tf.stack([(height - side) // 2, (width - side) // 2, side, side])


def centre_of_jpeg(jpeg: tf.Tensor) -> tf.Tensor:
    """Decode the centre of a JPEG."""
    box = centre_box(tf.image.extract_jpeg_shape(jpeg))
    return tf.image.decode_and_crop_jpeg(jpeg, box, channels=3)


def centre_of_png(png: tf.Tensor) -> tf.Tensor:
    """Decode a PNG and crop its centre."""
    image = tf.io.decode_png(png, channels=3)
    return tf.image.crop_to_bounding_box(image, *tf.unstack(centre_box(tf.shape(image))))


def resize(centre: tf.Tensor) -> tf.Tensor:
    """Resize and normalise."""
    image = tf.image.resize(centre, [224, 224])
    return (image - tf.constant(MEAN_255)) / tf.constant(STD_255)


def transform_jpeg(path: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Read and transform one JPEG."""
    return resize(centre_of_jpeg(tf.io.read_file(path))), label


def transform_png(path: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Read and transform one PNG."""
    return resize(centre_of_png(tf.io.read_file(path))), label


def batches(job: Job) -> Iterator[tuple[tf.Tensor, tf.Tensor]]:
    """Deliver batches without end."""
    paths, labels = zip(*job.samples, strict=True)
    transform = transform_png if paths[0].endswith(".png") else transform_jpeg
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
