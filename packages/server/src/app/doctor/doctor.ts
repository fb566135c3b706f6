import { clearTextOf } from '../../config/check/clearText.ts'
import type { Config } from '../../config/schema/schema.ts'
import { chainKindOf } from '../../kinds/chainKinds.ts'
import { databaseServersOf } from '../../lib/databaseServers.ts'
import { checkDatabase } from './checkDatabase.ts'
import { checkMachine } from './checkMachine.ts'
import { checkNats } from './checkNats.ts'
import { checkNodes } from './checkNodes.ts'
import { type Check, type CheckOptions, type Finding, findingsOf } from './finding.ts'

const checkClearText: Check = async ({ config }) =>
  clearTextOf(config).map(({ path, host, remedy }) => {
    const text = `Passwords and data go to ${host} unencrypted.`
    return findingsOf(path).warn('encryption', text, `To encrypt: ${remedy}.`)
  })

// Another thing that a service needs is another one here.
const checks: readonly Check[] = [
  checkMachine,
  checkClearText,
  checkDatabase,
  checkNats,
  checkNodes,
]

/** Looks at all that a service with this configuration would need, and changes nothing. */
export async function runDoctor(options: CheckOptions): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const check of checks) findings.push(...(await check(options)))
  const hide = hiderOf(options.config)
  return findings.map((finding) => ({ ...finding, text: hide(finding.text) }))
}

// A shorter part of a path says where a node is (`/v2`, `/rpc`), not who asks.
const keyCharsMin = 12
const hidden = '<hidden>'

/** Providers quote the address that was asked, with the key in it, in what they answer: no text leaves with one. */
function hiderOf({ chains, nats, ...config }: Config): (text: string) => string {
  const urls = Object.values(chains).flatMap(
    (chain) =>
      chainKindOf(chain)
        .urlsOf?.(chain)
        .map(({ url }) => url) ?? [],
  )
  for (const url of [config.database_url, config.database_read_url])
    if (url !== undefined) urls.push(...databaseServersOf(url))
  const words = [nats.password, nats.token].flatMap((word) => word || [])
  const secrets = [...new Set([...[...urls, ...nats.urls].flatMap(secretsOf), ...words])]
  // A key may be a part of another.
  secrets.sort((one, other) => other.length - one.length)
  return (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, hidden), text)
}

function secretsOf(text: string): string[] {
  if (!URL.canParse(text)) return []
  const url = new URL(text)
  const parts = [...url.pathname.split('/'), ...url.searchParams.values()]
  const keys = parts.filter((part) => part.length >= keyCharsMin)
  const written = [...keys, url.password].filter((part) => part !== '')
  return [...written, ...written.map(decodeURIComponent)]
}
