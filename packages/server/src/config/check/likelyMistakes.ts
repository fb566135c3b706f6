import { chainKindOf } from '../../kinds/chainKinds.ts'
import type { ConfigProblem } from '../../kinds/configProblem.ts'
import type { Config } from '../schema/schema.ts'
import { unencryptedSettingsOf } from './unencrypted.ts'

// Placeholders of examples and providers' pages: https://..., <key>, YOUR_KEY, ${KEY}, or a last
// part that only says KEY.
const placeholder = /\.\.\.|…|<[^>]*>|%3C|\$\{|\byour[-_ ]?|\/(api[-_]?)?key$|x{6}/i

/** Settings that are valid and almost surely a mistake: a service that starts and has no data. */
export function likelyMistakesOf(config: Config): ConfigProblem[] {
  const ofChains = Object.entries(config.chains).flatMap(([name, chain]) => {
    const path = `chains.${name}`
    const urls = chainKindOf(chain).urlsOf?.(chain) ?? []
    const advice = urls.flatMap(({ path: at, url }) =>
      placeholder.test(url) ? [{ path: `${path}.${at}`, message: 'looks like a placeholder' }] : [],
    )
    const pools = chainKindOf(chain).poolSourcesOf?.(chain)
    if (pools?.length === 0)
      advice.push({
        path,
        message: 'no factories configured: without a trusted pool nothing can be priced',
      })
    if (chain.stables.length === 0 && chain.native_usd_from === undefined)
      advice.push({
        path,
        message: 'neither stables nor native_usd_from configured: nothing can be priced in USD',
      })
    return advice
  })
  const inTheClear = unencryptedSettingsOf(config).map(({ path, host, remedy }) => ({
    path,
    message: `sends passwords and data to ${host} unencrypted: ${remedy}`,
  }))
  return [...ofChains, ...inTheClear]
}
