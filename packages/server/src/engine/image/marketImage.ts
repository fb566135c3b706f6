import { crc32Of } from '../../lib/bytes/crc32Of.ts'
import { SnapshotUnreadableError } from '../errors.ts'
import type { MarketState } from '../marketState.ts'
import type { ImagePart } from '../pages/imagePart.ts'
import { imageBytes } from '../pages/imagePart.ts'
import type { PageStore, Pages } from '../pages/pages.ts'
import { encodeUnpaged, fillState } from '../snapshot/snapshot.ts'
import {
  type ChecksummedRange,
  type ImageContents,
  type ImageSource,
  readChecked,
  readContents,
  writeContents,
} from './imageContents.ts'

/**
 * Version of the image format. Raise it with every change of pages, or of the fields that parts of
 * the market store beside pages, since an image has both as they are in memory. An image of another
 * version is ignored, and the snapshot is read.
 */
export const imageVersion = 5

/** Pages are written in runs of this many bytes. */
const runBytes = 1 << 20

/**
 * Encodes the state as it is in memory, for a fast restart of the same version: pages stay in the
 * file until they are read, and nothing is rebuilt from records. Parts are created on demand, each
 * valid until the next; otherwise a large market would leave gigabytes of garbage. All applied
 * blocks must be final.
 */
export function* encodeImage(state: MarketState): Generator<Uint8Array, void, undefined> {
  const contents: ImageContents = {
    version: imageVersion,
    layout: imageLayout(state),
    pages: [],
    fields: [],
    unpaged: { at: 0, bytes: 0, sum: 0 },
  }
  let at = 0
  const placed = (bytes: Uint8Array): ChecksummedRange => {
    at += bytes.length
    return { at: at - bytes.length, bytes: bytes.length, sum: crc32Of(bytes) }
  }
  for (const [name, pages] of state.memory.pagesByName()) {
    pages.divide()
    const { pageBytes, count } = pages
    const sums = new Uint32Array(count)
    const firstAt = at
    yield* pageRuns(pages, sums)
    at += pageBytes * count
    const sumsPlaced = placed(imageBytes(sums))
    contents.pages.push({ name, at: firstAt, pageBytes, count, checksums: sumsPlaced })
    yield imageBytes(sums)
  }
  for (const part of state.imageParts())
    for (const [name, bytes] of part.imageFields()) {
      contents.fields.push({ part: part.name, name, ...placed(bytes) })
      yield bytes
    }
  const { unpaged } = contents
  unpaged.at = at
  for (const bytes of encodeUnpaged(state)) {
    unpaged.bytes += bytes.length
    unpaged.sum = crc32Of(bytes, unpaged.sum)
    yield bytes
  }
  yield writeContents(contents)
}

/** Fills a fresh state from an image. The state reads pages from `source` on demand from now on. */
export function decodeImage(state: MarketState, source: ImageSource): void {
  const contents = readContents(source, imageVersion)
  if (contents?.layout !== imageLayout(state))
    throw new SnapshotUnreadableError('The image belongs to another version or config.')
  for (const [name, pages] of state.memory.pagesByName()) {
    pages.divide()
    const written = contents.pages.find((one) => one.name === name)
    if (written?.pageBytes !== pages.pageBytes)
      throw new SnapshotUnreadableError(`The image has no pages of "${name}".`)
    pages.adoptBase(written.count, openPages(source, written))
  }
  for (const part of state.imageParts()) part.fillFromImage(readFields(part, contents, source))
  fillState(state, [readRange(source, contents.unpaged, 'what is in no pages')])
}

/**
 * Describes the layout of rows and the parts of the config on which it depends: with another layout
 * the same bytes would mean something else.
 */
function imageLayout(state: MarketState): string {
  const { profile, catalog } = state
  const { coin = '', wrappedToken } = profile.native
  const lines = state
    .tables()
    .filter(({ isPaged }) => isPaged)
    .map(({ name, header, columns }) => [name, ...header, ...columns])
  lines.push([profile.name, wrappedToken, coin], [...catalog.quotes], [...profile.stables])
  return lines.map((line) => line.join()).join('\n')
}

/**
 * Yields the pages of a table and fills in the checksum of each page. All yielded runs share one
 * buffer.
 */
function* pageRuns(pages: Pages, sums: Uint32Array): Generator<Uint8Array> {
  const { pageBytes, count } = pages
  const pagesPerRun = Math.max(1, Math.floor(runBytes / pageBytes))
  const run = new Uint8Array(Math.min(pagesPerRun, count) * pageBytes)
  for (let first = 0; first < count; first += pagesPerRun) {
    const taken = Math.min(pagesPerRun, count - first)
    for (let page = 0; page < taken; page += 1) {
      const bytes = run.subarray(page * pageBytes, (page + 1) * pageBytes)
      pages.copyPage(first + page, bytes)
      sums[first + page] = crc32Of(bytes)
    }
    yield run.subarray(0, taken * pageBytes)
  }
}

function openPages(
  source: ImageSource,
  { name, at, pageBytes, count, checksums }: ImageContents['pages'][number],
): PageStore {
  const what = `pages of "${name}"`
  const sumOf = new Uint32Array(count)
  imageBytes(sumOf).set(readRange(source, checksums, `sums of ${what}`))
  return {
    read: (page, to) =>
      readChecked(source, { at: at + page * pageBytes, to, sum: sumOf[page]!, what }),
    write: () => {
      throw new SnapshotUnreadableError('An image is not written to.')
    },
  }
}

function readFields(
  { name: part }: ImagePart,
  contents: ImageContents,
  source: ImageSource,
): Map<string, Uint8Array> {
  const fields = contents.fields.filter((field) => field.part === part)
  return new Map(
    fields.map((field) => [field.name, readRange(source, field, `"${field.name}" of "${part}"`)]),
  )
}

function readRange(
  source: ImageSource,
  { at, bytes, sum }: ChecksummedRange,
  what: string,
): Uint8Array {
  const to = new Uint8Array(bytes)
  readChecked(source, { at, to, sum, what })
  return to
}
