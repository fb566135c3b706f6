import { existsSync, rmSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ImageDamagedError } from '../../engine/errors.ts'
import type { ImageSource } from '../../engine/image/imageContents.ts'
import { ImageFile, writeImageFile } from '../../lib/files/marketFiles.ts'
import type { Logger } from '../../lib/logger.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'

/** Identifies the snapshot that an image represents: the same market in another form. */
export type ImagedSnapshot = { seq: number; digest: string }

/**
 * Identifies a chain's images. A chain and its backfill share a name, so `chainId` keeps their
 * images apart.
 */
export type MarketImageOwner = { chainId: number; profile: ChainProfile }

/** Smaller snapshots load quickly enough without an image: a token takes about 12 µs. */
const imagedBytesMin = 96 * 2 ** 20
/**
 * Share of the market memory above which a market gets an image: with little memory, images begin
 * earlier.
 */
const imagedShare = 1 / 8
const ending = 'image'
const unfinished = 'unfinished'
const imageName = new RegExp(`^([^.]+)\\.(\\d+)\\.(?:\\d+|${unfinished})-\\w+\\.${ending}$`)

export function needsMarketImage({ paging }: ChainProfile, snapshotBytes: number): boolean {
  if (paging === undefined) return false
  return snapshotBytes > Math.min(paging.bytesMax * imagedShare, imagedBytesMin)
}

/** True if the image of a snapshot exists; it may be damaged. */
export function hasMarketImage(owner: MarketImageOwner, of: ImagedSnapshot): boolean {
  const { paging } = owner.profile
  return paging !== undefined && existsSync(join(paging.directory, fileName(owner, of)))
}

/**
 * Opens the image of a snapshot; null: the snapshot has no image. `onDamaged` is called after the
 * damaged file of the image was removed.
 */
export function openMarketImage(
  owner: MarketImageOwner,
  of: ImagedSnapshot,
  logger: Logger,
  onDamaged: (error: ImageDamagedError) => void,
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
      logger.error({ msg: 'Removing a damaged image of the market', chain, err: error })
      try {
        rmSync(path, { force: true })
      } catch (err) {
        logger.error({ msg: 'Failed to remove an image of the market', chain, path, err })
      }
      onDamaged(error)
    },
  }
}

/**
 * An image written before its snapshot is stored. A restart in between loads the previous image and
 * snapshot.
 */
export type WrittenMarketImage = {
  /**
   * Call after the snapshot was stored: publishes the image and removes older images of the chain.
   */
  publish(of: ImagedSnapshot): Promise<void>
}

/** Returns null if the image could not be written; a restart then reads the snapshot. */
export async function writeMarketImage(
  owner: MarketImageOwner,
  parts: Iterable<Uint8Array>,
  logger: Logger,
): Promise<WrittenMarketImage | null> {
  const { name, paging } = owner.profile
  if (paging === undefined) return null
  const { directory } = paging
  const path = join(directory, `${name}.${owner.chainId}.${unfinished}-${process.pid}.${ending}`)
  try {
    await mkdir(directory, { recursive: true })
    await writeImageFile(path, parts)
  } catch (err) {
    await rm(path, { force: true }).catch(() => undefined)
    // The image that the engine reads from is damaged, so no later image can be written either.
    if (err instanceof ImageDamagedError) throw err
    logger.warn({ msg: 'Failed to write an image of the market', chain: name, err })
    return null
  }
  return {
    async publish(of) {
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

export type ImagedChains = { names: ReadonlySet<string>; chainIds: ReadonlySet<number> }

/**
 * Removes images of chains that are not in `KnownChains`: no chain loads them, and each takes as
 * much disk as a market. Only for a process that owns the directory.
 */
export async function removeUnusedImages(
  directory: string,
  { names, chainIds }: ImagedChains,
  logger: Logger,
): Promise<void> {
  await removeImages(
    directory,
    ({ chain, chainId }) => !names.has(chain) || !chainIds.has(chainId),
    logger,
  )
}

/** Removes all images of a chain that is no longer stored. */
export async function removeMarketImages(owner: MarketImageOwner, logger: Logger): Promise<void> {
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
    // The directory exists only if some market was large enough for an image.
    for (const file of existsSync(directory) ? await readdir(directory) : []) {
      const found = imageOf(file)
      if (found === null || !isRemoved(found)) continue
      await rm(join(directory, file), { force: true })
      logger.info({ msg: 'Removed an unused image', chain: found.chain, file })
    }
  } catch (err) {
    logger.warn({ msg: 'Failed to remove unused images', err })
  }
}

async function removeOthers(
  directory: string,
  owner: MarketImageOwner,
  kept: string,
): Promise<void> {
  for (const file of await readdir(directory)) {
    const found = imageOf(file)
    if (found === null || file === kept || !isOf(owner, found)) continue
    await rm(join(directory, file), { force: true })
  }
}

// Chain names contain no dots, so the parts of a file name are unambiguous.
function fileName({ chainId, profile }: MarketImageOwner, { seq, digest }: ImagedSnapshot): string {
  return `${profile.name}.${chainId}.${seq}-${digest}.${ending}`
}

type FoundImage = { chain: string; chainId: number }

function isOf({ profile, chainId }: MarketImageOwner, found: FoundImage): boolean {
  return found.chain === profile.name && found.chainId === chainId
}

/** Parses the name of an image file; null: the file is not an image. */
function imageOf(file: string): FoundImage | null {
  const match = imageName.exec(file)
  if (match === null) return null
  const [, chain, chainId] = match
  return { chain: chain!, chainId: Number(chainId) }
}
