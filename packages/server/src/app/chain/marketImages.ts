import { existsSync, rmSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ImageDamagedError } from '../../engine/errors.ts'
import type { ImageSource } from '../../engine/image/imageContents.ts'
import { ImageFile, writeImage } from '../../lib/files/imageFile.ts'
import type { Logger } from '../../lib/logger.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'

/** The snapshot that an image is of: the same market in another form. */
export type ImageOf = { seq: number; digest: string }

/** Whose images they are. A chain and the reading of its past have one name, and each goes on from its own. */
export type ImageOwner = { chainId: number; profile: ChainProfile }

/** Reading a smaller snapshot is quick enough: a token takes some 12 µs. */
const imagedBytesMin = 96 * 2 ** 20
/**
 * Part of the market memory from which a market gets an image: with little memory images begin
 * earlier.
 */
const imagedShare = 1 / 8
const ending = 'image'
const unfinished = 'unfinished'
const imageName = new RegExp(`^([^.]+)\\.(\\d+)\\.(?:\\d+-\\w+|${unfinished})\\.${ending}$`)

export function isImaged({ paging }: ChainProfile, snapshotBytes: number): boolean {
  if (paging === undefined) return false
  return snapshotBytes > Math.min(paging.bytesMax * imagedShare, imagedBytesMin)
}

export type OpenImageOptions = {
  of: ImageOf
  logger: Logger
  /** It is removed by then. */
  onDamaged(error: ImageDamagedError): void
}

/** Null: there is none of that snapshot. */
export function openImage(
  owner: ImageOwner,
  { of, logger, onDamaged }: OpenImageOptions,
): ImageSource | null {
  const { name: chain, paging } = owner.profile
  if (paging === undefined) return null
  const path = join(paging.directory, fileName(owner, of))
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
  owner: ImageOwner,
  parts: Iterable<Uint8Array>,
  logger: Logger,
): Promise<WrittenImage | null> {
  const { name, paging } = owner.profile
  if (paging === undefined) return null
  const { directory } = paging
  const path = join(directory, `${name}.${owner.chainId}.${unfinished}.${ending}`)
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
        const kept = fileName(owner, of)
        await rename(path, join(directory, kept))
        await removeOthers(directory, owner, kept)
      } catch (err) {
        logger.warn({ msg: 'Failed to keep an image of the market', chain: name, err })
      }
    },
  }
}

export type KnownChains = { names: ReadonlySet<string>; chainIds: ReadonlySet<number> }

/**
 * Those of chains that are not among these. Nobody goes on from them, and each takes as much disk as its market; only for whoever has the
 * directory alone.
 */
export async function removeForeignImages(
  directory: string,
  { names, chainIds }: KnownChains,
  logger: Logger,
): Promise<void> {
  await removeImages(
    directory,
    ({ chain, chainId }) => !names.has(chain) || !chainIds.has(chainId),
    logger,
  )
}

/** Those of a chain that is not stored any more. */
export async function removeImagesOf(owner: ImageOwner, logger: Logger): Promise<void> {
  const { paging } = owner.profile
  if (paging !== undefined)
    await removeImages(paging.directory, (found) => isOf(owner, found), logger)
}

async function removeImages(
  directory: string,
  isRemoved: (found: FoundImage) => boolean,
  logger: Logger,
): Promise<void> {
  try {
    // Where there was no large market it is not there.
    for (const file of existsSync(directory) ? await readdir(directory) : []) {
      const found = imageOf(file)
      if (found === null || !isRemoved(found)) continue
      await rm(join(directory, file), { force: true })
      logger.info({ msg: 'Removed an image that no chain goes on from', chain: found.chain, file })
    }
  } catch (err) {
    logger.warn({ msg: 'Failed to remove images that no chain goes on from', err })
  }
}

async function removeOthers(directory: string, owner: ImageOwner, kept: string): Promise<void> {
  for (const file of await readdir(directory)) {
    const found = imageOf(file)
    if (found === null || file === kept || !isOf(owner, found)) continue
    await rm(join(directory, file), { force: true })
  }
}

// Names of chains have no dots.
function fileName({ chainId, profile }: ImageOwner, { seq, digest }: ImageOf): string {
  return `${profile.name}.${chainId}.${seq}-${digest}.${ending}`
}

type FoundImage = { chain: string; chainId: number }

function isOf({ profile, chainId }: ImageOwner, found: FoundImage): boolean {
  return found.chain === profile.name && found.chainId === chainId
}

/** Null: it is no image. */
function imageOf(file: string): FoundImage | null {
  const match = imageName.exec(file)
  if (match === null) return null
  const [, chain, chainId] = match
  return { chain: chain!, chainId: Number(chainId) }
}
