import { existsSync, rmSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ImageDamagedError } from '../../engine/errors.ts'
import type { ImageSource } from '../../engine/image/imageContents.ts'
import { ImageFile, writeImage } from '../../lib/imageFile.ts'
import type { Logger } from '../../lib/logger.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'

/** The snapshot that an image is of: the same market in another form. */
export type ImageOf = { seq: number; digest: string }

/** Of what a market may have in memory: one whose snapshot is smaller is read from that soon enough. */
const imagedShare = 1 / 8
const ending = 'image'
const unfinished = 'unfinished'
const imageName = new RegExp(`^([^.]+)\\.(?:\\d+-\\w+|${unfinished})\\.${ending}$`)

export function isImaged({ paging }: ChainProfile, snapshotBytes: number): boolean {
  return paging !== undefined && snapshotBytes > paging.bytesMax * imagedShare
}

export type OpenImageOptions = {
  of: ImageOf
  logger: Logger
  /** It is removed by then. */
  onDamaged(error: ImageDamagedError): void
}

/** Null: there is none of that snapshot. */
export function openImage(
  { name: chain, paging }: ChainProfile,
  { of, logger, onDamaged }: OpenImageOptions,
): ImageSource | null {
  if (paging === undefined) return null
  const path = join(paging.directory, fileName(chain, of))
  if (!existsSync(path)) return null
  const file = new ImageFile(path)
  return {
    name: path,
    size: file.size,
    read: (at, to) => file.read(at, to),
    onDamaged(error) {
      logger.error({ msg: 'An image of the market is damaged, and is removed', chain, err: error })
      try {
        rmSync(path, { force: true })
      } catch (err) {
        logger.error({ msg: 'Failed to remove an image of the market', chain, path, err })
      }
      onDamaged(error)
    },
  }
}

/** An image that is on the disk before its snapshot is stored: a restart in between has the one before it, and its snapshot. */
export type WrittenImage = {
  /** The snapshot is stored now. In place of the images before it. */
  keep(of: ImageOf): Promise<void>
}

/** Null: it could not be written, and a restart reads the snapshot. */
export async function writeMarketImage(
  { name, paging }: ChainProfile,
  parts: Iterable<Uint8Array>,
  logger: Logger,
): Promise<WrittenImage | null> {
  if (paging === undefined) return null
  const { directory } = paging
  const path = join(directory, `${name}.${unfinished}.${ending}`)
  try {
    await mkdir(directory, { recursive: true })
    await writeImage(path, parts)
  } catch (err) {
    await rm(path, { force: true }).catch(() => undefined)
    // What the engine went on from: no later image could be made of it either.
    if (err instanceof ImageDamagedError) throw err
    logger.warn({ msg: 'Failed to write an image of the market', chain: name, err })
    return null
  }
  return {
    async keep(of) {
      try {
        await rename(path, join(directory, fileName(name, of)))
        await removeOthers(directory, name, fileName(name, of))
      } catch (err) {
        logger.warn({ msg: 'Failed to keep an image of the market', chain: name, err })
      }
    },
  }
}

/**
 * Those of chains that are not among these. Nobody goes on from them, and each takes as much disk as its market; only for whoever has the
 * directory alone.
 */
export async function removeForeignImages(
  directory: string,
  chains: ReadonlySet<string>,
  logger: Logger,
): Promise<void> {
  try {
    // Where there was no large market it is not there.
    for (const file of existsSync(directory) ? await readdir(directory) : []) {
      const chain = chainOf(file)
      if (chain === null || chains.has(chain)) continue
      await rm(join(directory, file), { force: true })
      logger.info({ msg: 'Removed an image of a chain that is not configured', chain, file })
    }
  } catch (err) {
    logger.warn({ msg: 'Failed to remove images of chains that are not configured', err })
  }
}

async function removeOthers(directory: string, chain: string, kept: string): Promise<void> {
  for (const file of await readdir(directory))
    if (file !== kept && chainOf(file) === chain) await rm(join(directory, file), { force: true })
}

// Names of chains have no dots.
function fileName(chain: string, { seq, digest }: ImageOf): string {
  return `${chain}.${seq}-${digest}.${ending}`
}

/** Null: it is no image. */
function chainOf(file: string): string | null {
  return imageName.exec(file)?.[1] ?? null
}
