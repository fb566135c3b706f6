import type { ConfigProblem } from '../kinds/configProblem.ts'

/** Settings of earlier versions by their path, each with what serves in its place. */
const removedSettings: ReadonlyMap<string, string> = new Map([
  ['server.trust_proxy', 'name the proxies in server.trusted_proxies'],
])

/**
 * Takes settings out that earlier versions had, and warns of each: an upgrade must not end a service for a line of its
 * config that has no effect any more.
 */
export function dropRemovedSettings(given: Record<string, unknown>): ConfigProblem[] {
  const warnings: ConfigProblem[] = []
  for (const [path, instead] of removedSettings) {
    const keys = path.split('.')
    const last = keys.pop()!
    let parent: unknown = given
    for (const key of keys) parent = (parent as Record<string, unknown> | undefined)?.[key]
    if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, last)) continue
    delete (parent as Record<string, unknown>)[last]
    warnings.push({ path, message: `is no setting any more and has no effect; ${instead}` })
  }
  return warnings
}
