/** The address that signs a person in, of a token of a link. */
export function signInLink(baseUrl: string, token: string): string {
  return `${baseUrl}/console/auth/verify?token=${token}`;
}
