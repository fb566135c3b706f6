import type { GatewayChains } from '../../gatewayChain.ts'
import type { LaunchEntry } from '../../rows/launchBoard.ts'

/** Which tokens of which platform a tag stands for. Null: of every platform. */
export type TagRule = {
  platform: string | null
  selects(entry: LaunchEntry, nowS: number): boolean
}

const daySeconds = 86_400

const isNew = (sinceS: number, nowS: number) => sinceS > 0 && nowS - sinceS < daySeconds

/** What stands behind the platform's word. */
const suffixes: Readonly<Record<string, TagRule['selects']>> = {
  in_hot: ({ launch, isTraded24h }) => launch.state !== 'out' && isTraded24h,
  in_new: ({ launch }, nowS) => launch.state !== 'out' && isNew(launch.createdAtS, nowS),
  in_almost: ({ launch }) => launch.state === 'almost',
  out_hot: ({ launch, isTraded24h }) => launch.state === 'out' && isTraded24h,
  out_new: ({ launch }, nowS) => launch.state === 'out' && isNew(launch.graduatedAtS, nowS),
}

/** Tags that are not of one platform. */
const words: Readonly<Record<string, TagRule['selects']>> = {
  meme: () => true,
  hot: ({ isTraded24h }) => isTraded24h,
  new: ({ launch }, nowS) => isNew(launch.createdAtS, nowS),
}

const all = ['in_almost', 'in_hot', 'in_new', 'out_hot', 'out_new']
const noHot = ['in_almost', 'in_new', 'out_new']
const noAlmost = ['in_hot', 'in_new', 'out_hot', 'out_new']

/** Platforms that clients of this interface ask for, whether or not a chain here has them, with the tags they use. */
const knownPlatforms: Readonly<Record<string, readonly string[]>> = {
  bn: all,
  bonk: all,
  boop: all,
  cookpump: all,
  flap: all,
  fourmeme: all,
  grafun: all,
  nadfun: all,
  pump: all,
  pump_all: all,
  sunpump: all,
  xflap: all,
  bankr: noHot,
  baseapp: noHot,
  basememe: noHot,
  clanker: noHot,
  klik: noHot,
  zoracontent: noHot,
  zoracreator: noHot,
  meteora: noAlmost,
  xdyorswap: noAlmost,
  heaven: ['in_almost', 'in_new', 'out_hot'],
  moonshot: ['in_hot', 'out_hot'],
  movepump: ['in_hot', 'out_hot'],
  popme: ['in_new', 'out_new'],
}

/** Lists that others make by hand and nobody makes here. */
const knownWords = ['alpha', 'bsc_hot', 'gold', 'inclusion']

const knownTags: ReadonlySet<string> = new Set([
  ...knownWords,
  ...Object.entries(knownPlatforms).flatMap(([platform, ends]) =>
    ends.map((end) => `${platform}_${end}`),
  ),
])

function servedPlatforms(chains: GatewayChains): string[] {
  const platforms = [...chains.values()].flatMap(({ profile }) =>
    profile.launchPlatforms.map(({ platform }) => platform),
  )
  return [...new Set(platforms)].sort()
}

/** Every tag that may select something here. */
export function servedTags(chains: GatewayChains): string[] {
  const ofPlatforms = servedPlatforms(chains).flatMap((platform) =>
    Object.keys(suffixes).map((end) => `${platform}_${end}`),
  )
  return [...ofPlatforms, ...Object.keys(words)]
}

/** The rule of a tag; `none` for one that is known but that no chain here serves; null for no tag at all. */
export function tagRule(tag: string, chains: GatewayChains): TagRule | 'none' | null {
  if (Object.hasOwn(words, tag)) return { platform: null, selects: words[tag]! }
  const [, platform = '', end = ''] = /^(.+)_([^_]+_[^_]+)$/.exec(tag) ?? []
  if (Object.hasOwn(suffixes, end) && servedPlatforms(chains).includes(platform))
    return { platform, selects: suffixes[end]! }
  return knownTags.has(tag) ? 'none' : null
}
