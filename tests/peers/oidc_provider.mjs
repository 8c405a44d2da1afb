// An authorization server from npm (oidc-provider): RFC 8414, 7591, 7636, 8707, 9207.
// Arguments: the module's path, a port, the URL of the protected resource. Prints each token that it issues.
const [module, port, resource] = process.argv.slice(2);
const { default: Provider } = await import(module);
const provider = new Provider(`http://127.0.0.1:${port}`, {
  scopes: ["openid", "offline_access", "call"],
  features: {
    registration: { enabled: true },
    devInteractions: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({ scope: "call", audience: resource, accessTokenFormat: "opaque" }),
    },
  },
  pkce: { required: () => true },
  cookies: { keys: ["test"] },
});
provider.on("access_token.saved", (token) => console.log(`token ${token.jti} ${token.scope}`));
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
