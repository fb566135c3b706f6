import type { KeyBody } from '@chaintape/protocol'

/** A key as the admin API lists it. */
export type ListedKey = KeyBody & { period: { requests: number; credits: number } }

/** A new key: the only answer that contains its text. */
export type MadeKey = KeyBody & { key: string }

/** The admin API with its own key, which is stored nowhere. */
export function createAdmin(adminKey: string) {
  async function ask<answer>(path: string, body?: object): Promise<answer> {
    const response = await fetch(path, {
      headers: { 'X-ADMIN-KEY': adminKey },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    const answer = await response.json()
    if (response.ok) return answer
    // The path does not exist without an admin key in the configuration, or if the admin API has
    // its own port.
    if (response.status === 404 && answer.error?.param === 'path')
      throw new Error(
        'The admin API is off at this address. Set admin_key and leave server.admin_port unset.',
      )
    throw new Error(answer.msg)
  }
  return {
    list: async () => (await ask<{ keys: readonly ListedKey[] }>('/admin/keys')).keys,
    create: (given: { name: string; plan: string; expires_in?: number }) =>
      ask<MadeKey>('/admin/keys', given),
    rotate: (id: number) => ask<MadeKey>(`/admin/keys/${id}/rotate`, {}),
    revoke: (id: number) => ask<KeyBody>(`/admin/keys/${id}/revoke`, {}),
  }
}

export type Admin = ReturnType<typeof createAdmin>
