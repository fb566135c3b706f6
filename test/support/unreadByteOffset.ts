import { readContents } from '../../packages/server/src/engine/image/imageContents.ts'
import { imageVersion } from '../../packages/server/src/engine/image/marketImage.ts'

/**
 * Offset of a byte in an image that is not read when the image is opened: in the last of several
 * pages of token rows.
 */
export function unreadByteOffset(image: Buffer): number {
  const read = (at: number, to: Uint8Array) => void image.copy(to, 0, at, at + to.length)
  const source = { name: 'test', size: image.length, read, onDamaged: () => undefined }
  const { pages } = readContents(source, imageVersion)!
  const { at, pageBytes, count } = pages.find(({ name }) => name === 'tokens')!
  if (count === 1) throw new Error('It has so few tokens that all are read.')
  return at + pageBytes * count - 1
}
