#include "tools/cli/cli.h"

#ifndef CAIRN_VERSION
#define CAIRN_VERSION "dev"
#endif

int main(int argc, char** argv) { return cairn::cli::run(argc, argv, CAIRN_VERSION); }
