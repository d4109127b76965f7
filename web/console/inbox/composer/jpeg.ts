const SIDE_MAX = 4_096;
const QUALITY = 0.88;

/**
 * Turns a picture that this browser can decode into a JPEG. What the picture says of its place and camera stays behind,
 * and transparent parts become white. @returns null when the browser cannot decode it
 */
export async function toJpeg(file: File): Promise<File | null> {
  const picture = await createImageBitmap(file).catch(() => null);
  if (picture === null) return null;
  try {
    const scale = Math.min(1, SIDE_MAX / Math.max(picture.width, picture.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    const context = canvas.getContext("2d");
    if (context === null) return null;
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
    return blob && new File([blob], `${file.name.replace(/\.[^.]{1,8}$/, "")}.jpg`, { type: "image/jpeg" });
  } finally {
    picture.close();
  }
}
