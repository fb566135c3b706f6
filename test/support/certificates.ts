// Certificates of an authority that exists for one test, made with Node's own crypto: keys,
// signatures and the minimum of X.509 that clients check.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type CertificateFiles = { certFile: string; keyFile: string }

export type Authority = {
  caFile: string
  /** A certificate for a server or client at 127.0.0.1. */
  issue(name: string): Promise<CertificateFiles>
}

const tags = { integer: 2, bits: 3, bytes: 4, oid: 6, utf8: 12, time: 23, sequence: 48, set: 49 }
const oids = {
  ecdsaSha256: '2a8648ce3d040302',
  commonName: '550403',
  basicConstraints: '551d13',
  alternativeName: '551d11',
}

function node(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: readonly Uint8Array[]) => node(tags.sequence, ...parts)
const oid = (hex: string) => node(tags.oid, Buffer.from(hex, 'hex'))
const timeAt = (ms: number) =>
  node(
    tags.time,
    Buffer.from(
      `${new Date(ms)
        .toISOString()
        .replace(/[-:T]|\.\d+/g, '')
        .slice(2)}`,
    ),
  )
const nameOf = (text: string) =>
  sequence(node(tags.set, sequence(oid(oids.commonName), node(tags.utf8, Buffer.from(text)))))
const extension = (id: string, value: Uint8Array) => sequence(oid(id), node(tags.bytes, value))
const signedWith = () => sequence(oid(oids.ecdsaSha256))

const dayMs = 86_400_000
const isAuthority = () => extension(oids.basicConstraints, sequence(Buffer.from([1, 1, 255])))
const isAtLoopback = () =>
  extension(oids.alternativeName, sequence(node(0x87, Buffer.from([127, 0, 0, 1]))))

type Issue = {
  subject: string
  issuer: string
  publicKey: KeyObject
  issuerKey: KeyObject
  extensions: readonly Uint8Array[]
}

function pemOf({ subject, issuer, publicKey, issuerKey, extensions }: Issue): string {
  const body = sequence(
    node(0xa0, node(tags.integer, Buffer.from([2]))),
    // The leading 1 keeps the number positive.
    node(tags.integer, Buffer.from([1]), randomBytes(8)),
    signedWith(),
    nameOf(issuer),
    sequence(timeAt(Date.now() - dayMs), timeAt(Date.now() + dayMs)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    node(0xa3, sequence(...extensions)),
  )
  const signature = node(tags.bits, Buffer.from([0]), sign('sha256', body, issuerKey))
  const lines = sequence(body, signedWith(), signature)
    .toString('base64')
    .replace(/(.{64})/g, '$1\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** Creates an authority and writes its files into the folder. */
export async function createAuthority(folder: string, issuer: string): Promise<Authority> {
  const own = keyPair()
  const caFile = join(folder, `${issuer}.pem`)
  const issued = { issuer, issuerKey: own.privateKey }
  await writeFile(
    caFile,
    pemOf({ ...issued, subject: issuer, publicKey: own.publicKey, extensions: [isAuthority()] }),
  )
  return {
    caFile,
    async issue(subject) {
      const { publicKey, privateKey } = keyPair()
      const [certFile, keyFile] = ['cert', 'key'].map((kind) =>
        join(folder, `${issuer} ${subject} ${kind}.pem`),
      ) as [string, string]
      await writeFile(
        certFile,
        pemOf({ ...issued, subject, publicKey, extensions: [isAtLoopback()] }),
      )
      await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }))
      return { certFile, keyFile }
    },
  }
}
