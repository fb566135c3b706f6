import type { KeyInfo } from '../app/openKeys.ts'

/** A key as commands print it: nothing secret. */
export function keyJson(key: KeyInfo) {
  return {
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    plan: key.plan,
    created_at: key.createdAtS,
    expires_at: key.expiresAtS,
    revoked_at: key.revokedAtS,
  }
}
