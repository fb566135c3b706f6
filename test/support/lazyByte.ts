import { readContents } from '../../packages/server/src/engine/image/imageContents.ts'
import { imageVersion } from '../../packages/server/src/engine/image/marketImage.ts'

/** Where an image has a byte that nobody reads as it is opened: in the last of several pages of rows of tokens. */
export function lazyByteOf(image: Buffer): number {
  const read = (at: number, to: Uint8Array) => void image.copy(to, 0, at, at + to.length)
  const source = { name: 'test', size: image.length, read, onDamaged: () => undefined }
  const { pages } = readContents(source, imageVersion)!
  const { at, pageBytes, count } = pages.find(({ name }) => name === 'tokens')!
  if (count === 1) throw new Error('It has so few tokens that all are read.')
  return at + pageBytes * count - 1
}
